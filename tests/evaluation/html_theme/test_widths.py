"""Tests that labels beside panels fit inside the figure."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from evaluation.html_theme.widths import make_room, short


def panels(left, right):
    figure = Figure(figsize=(3.8, 3))
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(2, 1, left=left, right=right)
    return figure, [figure.add_subplot(grid[row, 0]) for row in range(2)]


@pytest.mark.parametrize(("label", "name"), [("−1,000.25", "LL"), ("1", "a resident's long name"), ("−1", "AY")])
def test_panels_give_way_to_what_stands_beside_them(label, name):
    figure, drawn = panels(0.02, 1.0)
    drawn[1].set_yticks([0.5], labels=[label])
    drawn[0].annotate(name, (1.02, 0.5), xycoords="axes fraction", annotation_clip=False)
    make_room(figure)
    box = figure.get_tightbbox()
    assert 0 <= box.x0 < box.x1 <= 3.8
    assert len({axes.get_position().bounds[::2] for axes in drawn}) == 1


def test_panels_stay_where_there_is_room():
    figure, drawn = panels(0.2, 0.8)
    before = [axes.get_position().extents.tolist() for axes in drawn]
    make_room(figure)
    for axes, edges in zip(drawn, before, strict=True):
        assert axes.get_position().extents.tolist() == pytest.approx(edges)


def test_names_without_end_leave_something_of_the_panels():
    figure, drawn = panels(0.1, 0.9)
    drawn[0].set_yticks([0.5], labels=["x" * 90])
    drawn[0].annotate("x" * 90, (1.02, 0.5), xycoords="axes fraction", annotation_clip=False)
    make_room(figure)
    assert drawn[0].get_position().width * 3.8 > 1.2


def test_a_figure_without_panels_is_refused():
    with pytest.raises(ValueError, match="draw its panels first"):
        make_room(Figure())


def test_long_names_are_cut():
    assert short("Ada") == "Ada"
    assert short("x" * 20) == "x" * 20
    assert short("x" * 21) == "x" * 19 + "…"
