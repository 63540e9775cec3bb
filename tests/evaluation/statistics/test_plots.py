"""Pictures of an analysis: wide and narrow ones show the same, within the scale of ratings."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.analysis.made_up_studies import STUDIES, ratings_of
from evaluation.statistics import anova, plots
from evaluation.statistics.html_page import render_page


@pytest.fixture(scope="module")
def results():
    return anova(ratings_of(STUDIES["independent"], np.random.default_rng(0))).results


def drawn(figure):
    return [[(list(line.get_xdata()), line.get_color()) for line in axes.lines] for axes in figure.axes]


def test_the_narrow_form_shows_the_same_below_each_other(results):
    for draw, given in ((plots.means, results), (plots.assumptions, results[0])):
        wide, narrow = draw(given), draw(given, narrow=True)
        assert drawn(narrow) == drawn(wide)
        assert narrow.get_figwidth() < 4 < wide.get_figwidth()
        assert len({axes.get_position().x0 for axes in narrow.axes}) == 1
        narrow.canvas.draw()
        assert narrow.get_tightbbox().x0 >= 0


def test_intervals_end_where_the_scale_does(results):
    (result,) = results
    lead = replace(result.lead, means=result.lead.means.assign(low=0.4, high=7.6))
    (axes,) = plots.means([replace(result, lead=lead)]).axes
    intervals = [list(line.get_xdata()) for line in axes.lines if len(line.get_xdata()) == 2]
    assert intervals == [[1, 7]] * len(lead.means)


def test_the_page_has_both_forms_under_names_of_their_own(results):
    page = render_page(results, source="made up")
    assert page.count("<svg ") == 4
    assert page.count('class="plot narrow"') == page.count('class="plot wide"') == 2
