"""What holds in the valley whatever its residents do."""

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from staging import MAP, without_record

from irollan_env import World
from irollan_env.world.numbered_actions import catalogue_of

RESIDENTS = [resident.name for resident in MAP.residents]
CATALOGUE = catalogue_of(MAP)
ITEMS = [item.name for item in MAP.items]
NAMES = [*RESIDENTS, *ITEMS, *MAP.tables.furniture, *MAP.tables.places]

residents = st.sampled_from(RESIDENTS)
names = st.sampled_from(NAMES)


class Valley(RuleBasedStateMachine):
    """Everyone does anything, admissible or not, alone or all at once."""

    @initialize(seed=st.integers(0, 2**32))
    def begin(self, seed):
        self.world = World(MAP, seed=seed)

    @rule(seed=st.integers(0, 2**32), gather=st.booleans())
    def all_do_something_admissible(self, seed, gather):
        generator = np.random.default_rng(seed)
        actions = {}
        for name in RESIDENTS:
            choices = self.world.admissible(name)
            wanted = "go to LL's Home" if self.world.place_of(name) == "outside" else "go to outside"
            homing = gather and self.world.place_of(name) != "LL's Home"
            actions[name] = wanted if homing else choices[int(generator.integers(len(choices)))]
        self.world.step(actions)
        assert not any(self.world.observe(name).outcome in ("filtered", "failed") for name in RESIDENTS)

    @rule(name=residents, pick=st.integers(0, 10_000))
    def one_does_something_admissible(self, name, pick):
        choices = self.world.admissible(name)
        action = choices[pick % len(choices)]
        assert self.world.step({name: action})[name].kind == "executed", action

    @rule(
        name=residents,
        action=st.one_of(
            st.sampled_from(CATALOGUE.actions[1:]),
            st.builds("go to {}".format, names),
            st.builds("use {}".format, names),
            st.builds("leave {}".format, names),
            st.builds("take {} from {}".format, names, names),
            st.builds("put {} in/on {}".format, names, names),
            st.builds("chat with {}: ...".format, names),
        ),
    )
    def a_well_formed_action_succeeds_exactly_when_it_is_listed(self, name, action):
        listed = action in self.world.admissible(name)
        before = without_record(self.world)
        outcome = self.world.step({name: action})[name]
        assert (outcome.kind == "executed") == listed, (action, outcome)
        if not listed:
            assert outcome.result.startswith("Nothing happens. ")
            for other in RESIDENTS:  # those who waited stopped moving
                if before["residents"][other]["doing"] == "moving" and other != name:
                    before["residents"][other]["doing"] = None
            assert without_record(self.world) == before

    @rule(name=residents, text=st.text(max_size=60))
    def noise_is_refused(self, name, text):
        assert self.world.step({name: text})[name].kind == "inadmissible"

    @rule()
    def save_and_restore(self):
        twin = World(MAP)
        twin.set_state(self.world.get_state())
        assert twin.get_state() == self.world.get_state()
        assert [twin.observe(name) for name in RESIDENTS] == [self.world.observe(name) for name in RESIDENTS]
        self.world = twin

    @precondition(lambda self: self.world.time % 3 == 0)
    @rule(name=residents)
    def everything_listed_succeeds(self, name):
        for action in self.world.admissible(name):
            twin = self.world.copy()
            outcome = twin.step({name: action})[name]
            assert outcome.kind == "executed", (action, outcome)

    @invariant()
    def each_item_is_in_one_place(self):
        held = [item for name in RESIDENTS for item in self.world.holding(name)]
        assert len(held) == len(set(held))
        lying = [
            percept.name
            for place in MAP.tables.places
            for name in self.world.people_in(place)[:1]
            for percept in self.world.observe(name).percepts
            if percept.on is not None
        ]
        assert len(lying) == len(set(lying))
        assert not set(held) & set(lying)
        for item in ITEMS:
            assert (self.world.where_is(item) in RESIDENTS) == (item in held)

    @invariant()
    def statuses_are_possible(self):
        for item in ITEMS:
            assert not {"damp", "hot"} <= set(self.world.status_of(item))

    @invariant()
    def everyone_is_somewhere(self):
        people = [name for place in MAP.tables.places for name in self.world.people_in(place)]
        assert sorted(people) == sorted(RESIDENTS)

    @invariant()
    def sentence_and_percepts_name_the_same(self):
        for name in RESIDENTS:
            seen = self.world.observe(name)
            position = 0
            for percept in seen.percepts:
                position = seen.sentence.index(percept.name, position)
            assert len(seen.admissible) == len(set(seen.admissible))
            assert set(seen.admissible) <= set(CATALOGUE.actions)


Valley.TestCase.settings = settings(
    max_examples=8, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
TestValley = Valley.TestCase
