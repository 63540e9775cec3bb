"""The ranking by likeness made to fail, as a model may."""

from language_models.protocol import ModelError
from ltrha import LikenessRanker


def fail_ranking(monkeypatch, at):
    """Have the ranking of one time step fail."""
    rank = LikenessRanker.rank

    async def failing(self, standings, *, time=0):
        if time == at:
            raise ModelError("planted failure of the ranking")
        return await rank(self, standings, time=time)

    monkeypatch.setattr(LikenessRanker, "rank", failing)
