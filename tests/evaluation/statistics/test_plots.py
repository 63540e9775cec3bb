"""Pictures of an analysis: wide and narrow ones show the same, within the scale of ratings."""

import numpy as np
import pytest

from benchmarks.analysis.made_up_studies import STUDIES, ratings_of
from evaluation.statistics import analyse, check_ratings, plots
from evaluation.statistics.page import render_page


@pytest.fixture(scope="module")
def results():
    ratings = ratings_of(STUDIES["independent"], np.random.default_rng(0))
    return analyse(
        check_ratings(ratings.assign(rating=ratings["rating"].mask(ratings["architecture"] == "itcma-s", 7)))
    )


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
    (axes,) = plots.means(results).axes
    rows = {row["architecture"]: row for _, row in results[0].lead.means.iterrows()}
    assert any(row["high"] > 7 for row in rows.values()) or rows["itcma-s"]["mean"] == 7
    for line in axes.lines:
        assert min(line.get_xdata()) >= 1
        assert max(line.get_xdata()) <= 7


def test_the_page_has_both_forms_under_names_of_their_own(results):
    page = render_page(results, source="made up")
    assert page.count("<svg ") == 4
    assert page.count('class="plot narrow"') == page.count('class="plot wide"') == 2
