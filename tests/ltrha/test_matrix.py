import asyncio

import pytest
from weighted_ranker import WeightedRanker

from language_models.protocol import ModelError, Usage
from ltrha import Matrix, Standing
from ltrha.ranking import by_score

SIX = ("AY", "SG", "MD", "WL", "LL", "WM")
WEIGHTS = {"AY": 3.0, "SG": 5.0, "MD": 1.0, "WL": 2.0, "LL": 6.0, "WM": 4.0}


def standings(names=SIX, place="outside", **values):
    return [Standing(name=name, place=place, topic=0.5, **values) for name in names]


def allocate(ranker, people, **options):
    return asyncio.run(Matrix(ranker, **options).allocate(people, time=7))


def test_ranks_become_resources():
    ranker = WeightedRanker(WEIGHTS)
    people = standings()
    allocation = allocate(ranker, people)
    assert allocation.rankings[None].order == ("LL", "SG", "WM", "AY", "WL", "MD")
    assert allocation.changes == {"LL": 3, "SG": 2, "WM": 1, "AY": -1, "WL": -2, "MD": -3}
    assert list(allocation.changes) == list(SIX)
    assert ranker.calls == [(7, people)]


def test_equal_scores_tie_and_share_what_their_ranks_get():
    scored = {"WM": 2.0, "AY": 5.0, "LL": 2.0 + 1e-12, "MD": -1.0, "SG": 9.0, "WL": 2.0}
    ranking = by_score(standings(scored), list(scored.values()), Usage())
    assert ranking.groups == (("SG",), ("AY",), ("WM", "LL", "WL"), ("MD",))
    assert ranking.scores == (9.0, 5.0, 2.0, 2.0, 2.0, -1.0)
    changes = allocate(WeightedRanker(scored), standings(scored)).changes
    assert changes == pytest.approx({"SG": 3, "AY": 2, "WM": -2 / 3, "LL": -2 / 3, "WL": -2 / 3, "MD": -3})
    assert set(allocate(WeightedRanker(), standings()).changes.values()) == {0.0}


def test_ranking_per_locale():
    ranker = WeightedRanker(WEIGHTS)
    people = standings(("AY", "MD", "LL", "WM"), "canteen") + standings(("SG", "WL"), "home")
    allocation = allocate(ranker, people, per_locale=True)
    assert allocation.changes == {"LL": 3, "WM": 1, "AY": -1, "MD": -3, "SG": 0, "WL": 0}
    assert set(allocation.rankings) == {"canteen"}
    assert len(ranker.calls) == 1


@pytest.mark.parametrize("n", [0, 1, 2])
def test_fewer_than_three_are_not_ranked(n):
    ranker = WeightedRanker(broken=True)
    allocation = allocate(ranker, standings(SIX[:n]))
    assert allocation.changes == dict.fromkeys(SIX[:n], 0.0)
    assert not ranker.calls


def test_limits():
    changes = allocate(WeightedRanker(WEIGHTS), standings(), s_min=2, s_max=2).changes
    assert sorted(changes.values()) == [-2, -2, -2, 2, 2, 2]
    with pytest.raises(ValueError, match="s_min=3, s_max=1"):
        Matrix(WeightedRanker(), s_min=3, s_max=1)


def test_when_a_ranking_fails_no_other_is_still_being_made():
    class Slow(WeightedRanker):
        finished = 0

        async def rank(self, standings, *, time):
            if standings[0].place == "canteen":
                raise ModelError("the model is out")
            for _ in range(9):
                await asyncio.sleep(0)
            self.finished += 1
            return await super().rank(standings, time=time)

    async def left_undone(ranker):
        with pytest.raises(ModelError, match="the model is out"):
            await Matrix(ranker, per_locale=True).allocate(people)
        return ranker.finished

    people = standings(("AY", "MD", "LL"), "canteen") + standings(("SG", "WL", "WM"), "home")
    assert asyncio.run(left_undone(Slow(WEIGHTS))) == 1


def test_errors():
    with pytest.raises(ValueError, match="no name may be given twice"):
        allocate(WeightedRanker(), standings(("AY", "AY", "SG")))
    with pytest.raises(ValueError, match=r"topic must lie in \[-1, 1\], got 2 for agent 'AY'"):
        Standing(name="AY", place="x", topic=2)
    with pytest.raises(ValueError, match=r"share must lie in \[-1, 1\], got nan for agent 'AY'"):
        Standing(name="AY", place="x", topic=0, share=float("nan"))
