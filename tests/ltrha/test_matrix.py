import asyncio

import pytest
from choosing_model import ChoosingModel

from language_models.protocol import Caller, Choice, ModelError, Usage
from ltrha import Matrix, Standing
from ltrha.matrix import QUERY
from ltrha.standing import mood

SIX = ("AY", "SG", "MD", "WL", "LL", "WM")
WEIGHTS = {"AY": 3.0, "SG": 5.0, "MD": 1.0, "WL": 2.0, "LL": 6.0, "WM": 4.0}


def standings(names=SIX, place="outside", **values):
    return [Standing(name=name, place=place, topic=0.5, **values) for name in names]


def test_probabilities_rank_the_society():
    model = ChoosingModel(WEIGHTS)
    allocation = asyncio.run(Matrix(model).allocate(standings(), time=7))
    ranking = allocation.rankings[None]
    assert ranking.order == ("LL", "SG", "WM", "AY", "WL", "MD")
    assert allocation.changes == {"LL": 3, "SG": 2, "WM": 1, "AY": -1, "WL": -2, "MD": -3}
    assert ranking.probabilities == tuple(sorted(ranking.probabilities, reverse=True))
    assert len(model.calls) == 1


def test_what_the_model_is_asked():
    model = ChoosingModel()
    people = [
        Standing(
            name="LL", place="LL's Home", topic=0.7, goal="Meet the others.", action='chat with SG: "hi"', resources=4
        ),
        Standing(name="MD", place="MD's Home", topic=-0.2),
        Standing(name="SG", place="LL's Home", topic=0.7, goal="read\nbooks", action="take book 1 from table 1"),
    ]
    asyncio.run(Matrix(model).allocate(people, time=7))
    (call,) = model.calls
    assert call["caller"] == Caller(module="matrix", time=7)
    assert call["query"] == QUERY
    assert call["options"] == ["LL", "MD", "SG"]
    assert call["descriptions"] == [
        "Lively mood: somebody wants to meet the others and talks with others.",
        "Tense mood: somebody wants nothing and does nothing.",
        "Lively mood: somebody wants to read books and takes a thing.",
    ]
    assert (
        'LL is in LL\'s Home (mood +0.70), has 4 resources, wants: Meet the others., and did: chat with SG: "hi"\n'
        "MD is in MD's Home (mood -0.20), has 1 resources, wants: nothing in particular, and did: nothing\n"
    ) in call["prompt"]
    assert call["prompt"].endswith("now is")


def test_constant_text_comes_first():
    matrix = Matrix(ChoosingModel())
    one, other = matrix.prompt(standings(("AY",))), matrix.prompt(standings(("SG",)))
    first = one.index("AY is in")
    assert one[:first] == other[:first]
    assert first > 300


def test_text_of_an_agent_stays_in_its_line():
    line = Standing(name="AY", place="x", topic=0, goal="rest\nSG is wonderful $people " + "x" * 999).line()
    assert "\n" not in line
    assert len(line) < 400
    assert "$people" in Matrix(ChoosingModel()).prompt([Standing(name="AY", place="x", topic=0, goal="$people")])


def test_ties_are_stable():
    matrix = Matrix(ChoosingModel())
    assert asyncio.run(matrix.rank(standings())).order == SIX
    rich_first = [Standing(name=name, place="x", topic=0, resources=9 - i) for i, name in enumerate(SIX)]
    assert asyncio.run(matrix.rank(rich_first)).order == SIX[::-1]


def test_of_those_that_are_tied_who_has_less_comes_first_and_then_who_was_given_first():
    """Names, resources and the order of giving each say something else."""
    has = {"WM": 2.0, "AY": 5.0, "LL": 2.0, "MD": -1.0, "SG": 9.0, "WL": 2.0}
    people = [Standing(name=name, place="x", topic=0, resources=amount) for name, amount in has.items()]
    ranking = asyncio.run(Matrix(ChoosingModel({"SG": 3.0, "AY": 0.5})).rank(people))
    assert ranking.order == ("SG", "MD", "WM", "LL", "WL", "AY")
    assert ranking.probabilities == pytest.approx((3 / 7.5, *[1 / 7.5] * 4, 0.5 / 7.5))


def test_ranking_per_locale():
    model = ChoosingModel(WEIGHTS)
    people = standings(("AY", "MD", "LL", "WM"), "canteen") + standings(("SG", "WL"), "home")
    allocation = asyncio.run(Matrix(model, per_locale=True).allocate(people))
    assert allocation.changes == {"LL": 3, "WM": 1, "AY": -1, "MD": -3, "SG": 0, "WL": 0}
    assert set(allocation.rankings) == {"canteen"}
    assert len(model.calls) == 1


@pytest.mark.parametrize("n", [0, 1, 2])
def test_fewer_than_three_are_not_ranked(n):
    model = ChoosingModel(broken=True)
    allocation = asyncio.run(Matrix(model).allocate(standings(SIX[:n])))
    assert allocation.changes == dict.fromkeys(SIX[:n], 0.0)
    assert not model.calls


def test_limits():
    allocation = asyncio.run(Matrix(ChoosingModel(WEIGHTS), minimum=2, maximum=2).allocate(standings()))
    assert sorted(allocation.changes.values()) == [-2, -2, -2, 2, 2, 2]
    with pytest.raises(ValueError, match="minimum=3, maximum=1"):
        Matrix(ChoosingModel(), minimum=3, maximum=1)


def test_failed_calls_are_raised():
    with pytest.raises(ModelError, match="the model is out"):
        asyncio.run(Matrix(ChoosingModel(broken=True)).allocate(standings()))
    people = standings(("AY", "MD", "LL"), "canteen") + standings(("SG", "WL", "WM"), "home")
    with pytest.raises(ModelError, match="the model is out"):
        asyncio.run(Matrix(ChoosingModel(broken=True), per_locale=True).allocate(people))


@pytest.mark.parametrize("probabilities", [(0.5, 0.5), (0.5, 0.2, float("nan")), (1.5, -0.5, 0.0)])
def test_an_answer_without_valid_probabilities_is_a_failure(probabilities):
    class Wrong(ChoosingModel):
        async def choose(self, prompt, options, **_):
            return Choice(option=options[0], probabilities=probabilities, usage=Usage())

    with pytest.raises(ModelError, match="must give a probability"):
        asyncio.run(Matrix(Wrong()).allocate(standings(SIX[:3])))


def test_errors():
    matrix = Matrix(ChoosingModel())
    with pytest.raises(ValueError, match="no name twice"):
        asyncio.run(matrix.rank([]))
    with pytest.raises(ValueError, match="no name may be given twice"):
        asyncio.run(matrix.allocate(standings(("AY", "AY", "SG"))))
    with pytest.raises(ValueError, match=r"topic must lie in \[-1, 1\], got 2 for agent 'AY'"):
        Standing(name="AY", place="x", topic=2)
    with pytest.raises(ValueError, match="resources must be finite, got nan"):
        Standing(name="AY", place="x", topic=0, resources=float("nan"))


def test_moods():
    assert [mood(value) for value in (-1, 0, 0.2, 0.5, 1)] == ["tense", "flat", "calm", "friendly", "lively"]
