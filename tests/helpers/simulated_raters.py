"""Raters whose answers are drawn: each architecture has a known mean, and raters, runs and residents differ."""

import numpy as np
from rater_without_javascript import RaterWithoutJavascript

from evaluation.rating.rating_scale import ATTENTION_CHECK, DIMENSIONS, HIGHEST, LOWEST
from evaluation.rating.study import load_study
from evaluation.statistics.planned_study import Spread


class Feelings:
    """What raters of a study feel about its residents, in points before they are rounded.

    ``means`` has the mean of each architecture; all else is drawn, in each dimension anew.
    """

    def __init__(self, means, spread=None, seed=0):
        self.means, self.spread, self._rng = means, spread or Spread(), np.random.default_rng(seed)
        self._drawn = {}

    def rating(self, dimension, rater, run, architecture, resident):
        felt = self.means[architecture] + self._rng.normal(0, self.spread.residual)
        felt += self._effect(self.spread.rater, dimension, rater)
        felt += self._effect(self.spread.taste, dimension, rater, architecture)
        felt += self._effect(self.spread.run, dimension, "run", run)
        felt += self._effect(self.spread.trajectory, dimension, "run", run, resident)
        return int(np.clip(round(felt), LOWEST, HIGHEST))

    def _effect(self, sd, *level):
        if level not in self._drawn:
            self._drawn[level] = self._rng.normal(0, sd)
        return self._drawn[level]


def rate_all(directory, feelings):
    """Every rater rates every resident, page by page, as without JavaScript."""
    study, key = load_study(directory)
    for index, (name, packet) in enumerate(study.items.items()):
        rater = RaterWithoutJavascript(directory, index)
        for number, item in enumerate(packet, 1):
            source = key[item.story]
            form = {
                dimension: str(feelings.rating(dimension, name, source["run"], source["architecture"], item.resident))
                for dimension in DIMENSIONS
            }
            if item.check is not None:
                form[ATTENTION_CHECK] = str(item.check.answer)
            sent = rater.client.post(f"{rater.link}/{number}", data=form, follow_redirects=False)
            assert sent.status_code == 303
        rater.store.close()
