"""Minds that misbehave end their own decisions, and change nothing for anybody else."""

import json

import pytest
from hosting import society_of, take_steps
from zoo import HANGS, ZOO

from minds import in_thread, mind_specs

RESIDENTS = ("AY", "SG", "MD", "WL", "WM")
WITNESS = "LL"

# What hangs is put together, as it is waited for together.
_SORTED = sorted(ZOO, key=lambda name: ZOO[name] != HANGS)
PACKS = [_SORTED[begin : begin + len(RESIDENTS)] for begin in range(0, len(ZOO), len(RESIDENTS))]
QUICK = [
    ["EndsAtOnce", "Interrupts", "Spins", "EatsAtOnce", "RemembersInDepth"],
    ["RaisesTextThatRaises", "AnswersOddNumber", "ClosesEverything", "PlansForever", "CatchesWhatItAsksWrongly"],
]


@pytest.fixture(autouse=True)
def limits(monkeypatch):
    monkeypatch.setattr(in_thread, "PATIENCE", 2.0)
    # That each can be imported is tested elsewhere.
    monkeypatch.setattr(mind_specs, "check_class", lambda name, source: None)


def society(minds):
    """A society with these minds around one that asks a model."""
    by_resident = {WITNESS: "react", **dict(zip(RESIDENTS, minds, strict=False))}
    return society_of("idle", by_resident=by_resident, architecture="itcma")


def resumed(minds):
    """The records of two steps with these minds, stopped and resumed between them."""
    first = society(minds)
    records = take_steps(first, 1)
    state = json.loads(json.dumps(first.get_state()))
    first.close()
    second = society(minds)
    second.set_state(state)
    records += take_steps(second, 1)
    second.close()
    return records


def of_witness(records):
    return json.dumps([record for record in records if record["resident"] == WITNESS])


@pytest.fixture(scope="module")
def alone():
    return resumed([])


def check(minds, records, alone):
    assert of_witness(records) == of_witness(alone[: len(records)])
    for resident, mind in zip(RESIDENTS, minds, strict=False):
        record = next(record for record in records if record["resident"] == resident)
        failure, expected = record["failure"] or "", ZOO[mind]
        assert expected in failure, mind
        assert failure.startswith(f"the mind zoo:{mind} ") if expected else not failure, (mind, failure)
        assert record["outcome"] in ("failed", "inadmissible") or record["action"] is None, mind


# A process is started for each mind, which takes half a second.
@pytest.mark.parametrize("minds", QUICK, ids=lambda minds: minds[0])
def test_the_others_live_as_beside_idle_minds(minds, alone):
    living = society([f"zoo:{mind}" for mind in minds])
    check(minds, take_steps(living, 1), alone)
    living.close()


@pytest.mark.slow
@pytest.mark.parametrize("minds", PACKS, ids=lambda minds: minds[0])
def test_the_whole_zoo_stops_and_resumes(minds, alone):
    check(minds, resumed([f"zoo:{mind}" for mind in minds]), alone)


def test_the_zoo_is_large():
    assert len(ZOO) >= 80
