"""The ranking by likeness: matrix(a, S, tpc) without a large model."""

import asyncio

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from language_models.embedders.hash_embedder import HashEmbedder
from ltrha import Deed, LikenessRanker, Standing
from ltrha.likeness_ranker import COMPANY, KIND, UNKIND, Merits, RankingWeights

GOALS = ("", "read a book", "meet the others", "cook the tomato")
DEEDS = (None, "use stoveburner 1", "chat with SG: thank you", "chat with SG: you are useless", "go to Public Canteen")
OUTCOMES = ("executed", "filtered", "inadmissible", "failed")
EMBEDDER = HashEmbedder()

agents = st.builds(
    lambda topic, share, goal, deed, outcome: {
        "place": "x",
        "topic": topic,
        "share": share,
        "goal": goal,
        "deeds": (Deed(action=deed, outcome=outcome),),
    },
    st.floats(-1, 1),
    st.floats(-1, 1),
    st.sampled_from(GOALS),
    st.sampled_from(DEEDS),
    st.sampled_from(OUTCOMES),
)


KNOWN = {KIND: 0, "You are good.": 0, UNKIND: 1, "You are bad.": 1, COMPANY: 2, "read": 3, "used book 1": 3}


class Meanings:
    """Vectors by hand: kind, unkind, company, and reading each point their own way."""

    name, dimension = "meanings", 4

    def embed(self, texts):
        vectors = np.zeros((len(texts), 4), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            if text in KNOWN:
                row[KNOWN[text]] = 1.0
            elif "said to" in text:
                row[2] = 1.0
        return vectors


def standing(name, action=None, outcome="executed", **values):
    return Standing(
        **{"name": name, "place": "x", "topic": 0.0, "deeds": (Deed(action=action, outcome=outcome),)} | values
    )


def places(people, embedder=EMBEDDER, **options):
    """How many rank before each, those it is tied with counted half."""
    ranking, found, before = asyncio.run(LikenessRanker(embedder, **options).rank(people)), {}, 0
    for group in ranking.groups:
        found |= dict.fromkeys(group, before + (len(group) - 1) / 2)
        before += len(group)
    return found


def order(people, **options):
    return asyncio.run(LikenessRanker(Meanings(), **options).rank(people)).groups


@given(st.lists(agents, min_size=2, max_size=6), st.integers(0, 5), st.floats(-1, 1))
def test_a_higher_topic_never_ranks_lower_and_more_resources_never_higher(people, who, value):
    who %= len(people)
    for key, sign in (("topic", 1), ("share", -1)):
        changed = [dict(one) for one in people]
        changed[who][key] = value
        before, after = (
            places([Standing(name=str(i), **one) for i, one in enumerate(some)])[str(who)] for some in (people, changed)
        )
        if sign * value >= sign * people[who][key]:
            assert after <= before
        else:
            assert after >= before


@settings(max_examples=30)
@given(st.lists(agents, min_size=2, max_size=6), st.randoms())
def test_who_is_given_first_decides_nothing(people, random):
    named = [Standing(name=str(i), **one) for i, one in enumerate(people)]
    shuffled = list(named)
    random.shuffle(shuffled)
    assert places(named) == places(shuffled)
    assert not LikenessRanker.draws_order


def test_each_input_decides_where_all_else_is_equal():
    assert order([standing("AY", topic=0.0), standing("SG", topic=0.9), standing("MD", topic=-0.2)]) == (
        ("SG",),
        ("AY",),
        ("MD",),
    )
    assert order([standing("AY", share=1 / 61), standing("SG", share=30 / 61), standing("MD", share=-30 / 61)]) == (
        ("MD",),
        ("AY",),
        ("SG",),
    )
    said = [standing("AY", "chat with LL: You are bad."), standing("SG", "chat with LL: You are good.")]
    assert order(said) == (("SG",), ("AY",))
    did = [standing("AY", goal="read"), standing("SG", "use book 1", goal="read"), standing("MD", "use book 1")]
    assert order(did) == (("SG",), ("AY", "MD"))


def test_by_company_the_goal_of_ones_own_does_not_count():
    people = [standing("AY", "use book 1", goal="read"), standing("SG", "chat with LL: Hello.", goal="read")]
    assert order(people) == (("AY",), ("SG",))
    assert order(people, rank_by="company") == (("SG",), ("AY",))


@pytest.mark.parametrize(("outcome", "counts"), [("filtered", True), ("inadmissible", False), ("failed", False)])
def test_what_one_was_held_back_from_counts_and_what_was_tried_in_vain_does_not(outcome, counts):
    did, nothing = standing("AY", "use book 1", outcome, goal="read"), standing("SG", goal="read")
    assert order([did, nothing]) == ((("AY",), ("SG",)) if counts else (("AY", "SG"),))
    said, quiet = standing("AY", "chat with LL: You are bad.", outcome), standing("SG")
    assert order([said, quiet]) == ((("SG",), ("AY",)) if counts else (("AY", "SG"),))


def test_each_input_has_a_weight_of_its_own_that_of_resources_a_tenth_of_the_others():
    merits = Merits(deed=0.3, tone=-0.4, topic=0.7, resources=0.25)
    assert merits.weighed(RankingWeights(deed=2, tone=3, topic=5, resources=7)) == pytest.approx(0.6 - 1.2 + 3.5 - 1.75)
    assert merits.weighed(RankingWeights()) == pytest.approx(0.3 - 0.4 + 0.7 - 0.025)


def test_what_nobody_did_wants_or_says_is_not_embedded():
    class Noted(Meanings):
        asked = ()

        def embed(self, texts):
            self.asked = tuple(texts)
            return super().embed(texts)

    embedder = Noted()
    asyncio.run(LikenessRanker(embedder).merits([standing("AY"), standing("SG", "use book 1")]))
    assert set(embedder.asked) == {KIND, UNKIND, "used book 1"}


def test_silence_and_no_deed_at_all_have_no_tone():
    people = [standing("AY", "chat with SG: ..."), Standing(name="MD", place="x", topic=0.0)]
    assert [one.tone for one in asyncio.run(LikenessRanker(EMBEDDER).merits(people))] == [0.0, 0.0]


def test_an_unknown_criterion_is_an_error():
    with pytest.raises(ValueError, match="unknown rank_by 'goal'; did you mean 'goals'"):
        LikenessRanker(EMBEDDER, rank_by="goal")
