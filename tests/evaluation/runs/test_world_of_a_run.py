"""What mechanics do is recorded, and residents who are away take no part."""

import json

import pytest
from residents import RandomResident
from town_rules import TownRules

import evaluation
from evaluation.records.records import read_line
from evaluation.runs.config_parts import ExecutionDraw, Scheduling
from evaluation.runs.society import Society
from irollan_env import World
from irollan_env.random_streams import stream
from irollan_env.world.mechanic import Mechanic, MechanicError
from language_models.embedders.hash_embedder import HashEmbedder
from ltrha import LikenessRanker, make_framework

STEPS = 6


def society(rules=TownRules, *, scheduling=Scheduling.SIMULTANEOUS, resource_mode="amount", **settings):
    world = World(seed=1, mechanics=[rules()])
    residents = [RandomResident(name, stream(0, name)) for name in world.residents]
    framework = make_framework(LikenessRanker(HashEmbedder()), valley_map=world.map, resource_mode=resource_mode)
    return Society(world, residents, framework=framework, scheduling=scheduling, **settings)


@pytest.fixture(scope="module", params=[Scheduling.SIMULTANEOUS, Scheduling.SEQUENTIAL])
def lived(request):
    one = society(scheduling=request.param, resource_mode="share", execution_draw=ExecutionDraw.BEFORE)
    return one, evaluation.run_society(one, STEPS)


def test_needs_variables_and_changes_are_recorded(lived):
    _, run = lived
    records = {(record["time"], record["resident"]): record for record in run.records}
    seen = records[3, "LL"]
    assert (seen["needs"], seen["variables"]["paid"] > 0) == ({"hunger": 0.3}, True)
    assert [name for (_, name), record in records.items() if "world" in record] == ["AY"] * STEPS
    taxes = run.variables.query("subject == 'world'")
    assert list(taxes["quantity"].unique()) == ["tax"]
    assert list(taxes["value"]) == [records[time, "AY"]["world"]["variables"]["tax"] for time in range(STEPS)]
    assert set(run.variables["quantity"]) == {"tax", "paid", "hunger"}
    moves = run.changes.query("what == 'moved'")[["time", "thing", "origin", "target", "cause"]]
    assert moves.to_numpy().tolist() == [
        [0, "WL", "WL's Home", "away", "not yet here"],
        [2, "WL", "away", "AY's Home", "arrived"],
        [4, "SG", moves.iloc[2]["origin"], "away", "left"],
    ]
    told = run.changes.query("what == 'announced'")
    assert set(told["origin"]) == {"town crier"}
    assert list(told["target"]) == [None] * len(told)


def test_residents_who_are_away_are_not_asked(lived):
    one, run = lived
    asked = {name: [seen.time for seen in one.residents[name].seen] for name in ("WL", "SG", "AY")}
    assert asked == {"WL": [2, 3, 4, 5], "SG": [0, 1, 2, 3], "AY": list(range(STEPS))}
    away = next(record for record in run.records if record["resident"] == "WL")
    assert (away["place"], away["admissible"], away["action"], away["outcome"]) == ("away", [], None, "executed")
    felt = run.metrics.query("quantity == 'pleasure' and subject == 'WL'")
    assert list(felt["time"]) == [2, 3, 4, 5]


def test_ltrha_leaves_residents_who_are_away_alone(lived):
    one, run = lived
    records = {(record["time"], record["resident"]): record for record in run.records}
    assert [records[time, "WL"]["resources"] for time in range(3)] == [1.0, 1.0, 1.0]
    assert records[4, "SG"]["resources"] == one.framework.resources["SG"]
    rates = run.metrics.query("quantity == 'rate'")
    assert set(rates.query("time == 0")["subject"]) == set(one.residents) - {"WL"}
    assert set(rates.query("time == 4")["subject"]) == set(one.residents) - {"SG"}
    assert records[2, "WL"]["topic"] is not None


@pytest.mark.parametrize("at", [0, 2, 3])
def test_a_society_goes_on_from_its_state(at):
    """What changed before the first step is part of the state, too."""
    whole, part, resumed = society(), society(), society()
    records = evaluation.run_society(whole, STEPS).records
    if at:
        evaluation.run_society(part, at)
    resumed.set_state(json.loads(json.dumps(part.get_state())))
    assert evaluation.run_society(resumed, STEPS - at).records == records[at * 6 :]


@pytest.mark.parametrize(
    ("hook", "numbers", "decisive"),
    [
        ("variables", {"rate": 1}, "'rate'"),
        ("variables", {"x": float("nan")}, "finite"),
        ("needs", {"hunger": 1.5}, r"\[0, 1\]"),
        ("needs", {"hunger": "much"}, "hunger|number"),
    ],
)
def test_numbers_that_cannot_be_recorded_are_refused(hook, numbers, decisive):
    class Odd(Mechanic):
        name = "odd"

    setattr(Odd, hook, lambda self, world, resident: numbers)
    with pytest.raises((MechanicError, ValueError), match=decisive):
        evaluation.run_society(society(Odd), 1)


@pytest.mark.parametrize("damage", [{"needs": {"hunger": "much"}}, {"world": {"changes": [{"time": 1}]}}])
def test_a_record_with_a_damaged_world_is_none(damage, tmp_path):
    with pytest.raises(ValueError, match=next(iter(damage))):
        read_line(tmp_path, 1, json.dumps({"time": 0, **damage}).encode())
