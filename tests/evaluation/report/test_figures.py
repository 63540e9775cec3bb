import itertools
import math

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from synthetic_run import PLACES, SIX, synthetic_run

from evaluation.html_theme.colours import colour
from evaluation.report import figures
from evaluation.report.captions import CAPTIONS, FITTING
from evaluation.report.line_drawing import spread
from evaluation.report.place_figures import places


@pytest.fixture(scope="module")
def run():
    return synthetic_run(steps=20)


@pytest.fixture(scope="module")
def wide(run):
    return figures.all_figures(*run[:2])


def record(time=0, resident="AY", action=None, outcome="executed", place="outside", **values):
    defaults = {"pleasure": 0.1, "arousal": 0.2, "dominance": 0.3, "driver": 1.0, "resources": None, "topic": None}
    return {
        **defaults,
        "time": time,
        "resident": resident,
        "action": action,
        "outcome": outcome,
        "place": place,
    } | values


def test_order_of_residents_and_places(run):
    records, _, _ = run
    assert figures.residents(records[::-1]) == SIX
    assert figures.residents([record(resident=one) for one in ("zoe", "WM", "bob")]) == ("WM", "bob", "zoe")
    given = ["outside", "WM's Home", "Public Canteen", "AY's Home"]
    assert places([record(place=one) for one in given]) == (given[3], given[1], given[2], given[0])


def test_interactions_worked_by_hand():
    records = [
        record(resident="AY", action='chat with LL: "hi, put it in/on SG: now"'),
        record(resident="LL", action="put food 1 in/on AY"),
        record(resident="SG", action="put SG's clothes 1 in/on table 1"),
        record(resident="SG", action='chat with LL: "hi"', outcome="filtered"),
        record(resident="SG", action='chat with LL: "hi"', outcome="inadmissible"),
        record(resident="SG", action='chat with nobody: "hi"'),
        record(resident="SG", action='chat with SG: "me"'),
        record(resident="SG", action="dance"),
        record(resident="SG", action=None, outcome="failed"),
        record(1, resident="AY", action='chat with LL: "still there?"'),
    ]
    names, counts = figures.interaction_counts(records)
    assert names == ("AY", "SG", "LL")
    np.testing.assert_array_equal(counts, [[0, 0, 2], [0, 0, 0], [1, 0, 0]])


def test_the_panels_of_emotion_have_one_range(run):
    records = [{**one, "dominance": one["dominance"] / 10} for one in run[0]]
    for narrow in (False, True):
        ranges = {axes.get_ylim() for axes in figures.emotion(records, narrow=narrow).axes}
        assert len(ranges) == 1
        (low, high) = ranges.pop()
        values = [one[quantity] for one in records for quantity in ("pleasure", "arousal", "dominance")]
        assert low < min(values) < max(values) < high


def test_places_have_symbols_that_differ(run):
    (axes,) = figures.topics(run[1]).axes
    lines = [line for line in axes.lines if not line.get_label().startswith("_")]
    symbols = {(line.get_marker(), line.get_markerfacecolor() == line.get_color()) for line in lines}
    assert len(symbols) == len(lines) == len(PLACES)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list(PLACES)


def test_narrow_figures_draw_the_same_within_their_width(run, wide):
    narrow = figures.all_figures(*run[:2], narrow=True)
    assert list(wide) == [name for name in CAPTIONS if name in wide]
    assert list(narrow) == [name for name in wide if name not in FITTING]
    for name, figure in narrow.items():
        assert figure.get_figwidth() < 4
        assert len(figure.axes) == len(wide[name].axes)
        for axes, other in zip(figure.axes, wide[name].axes, strict=True):
            lines = [(line.get_color(), list(line.get_xdata())) for line in axes.lines]
            assert lines == [(line.get_color(), list(line.get_xdata())) for line in other.lines]
        figure.canvas.draw()
        box, page = figure.get_tightbbox(), figure.get_size_inches()
        assert box.x0 >= 0, name
        assert box.y0 >= 0, name
        assert box.x1 <= page[0], name
        assert box.y1 <= page[1], name
    for name in FITTING:
        assert wide[name].get_figwidth() < 5


def test_whereabouts_lie_in_the_band_of_their_place(run):
    records = run[0]
    where = places(records)
    for narrow in (False, True):
        (axes,) = figures.whereabouts(records, narrow=narrow).axes
        stays = [line for line in axes.lines if len(line.get_xdata()) == 2 and line.get_linewidth() > 3]
        shown = {
            (line.get_color(), time): where[int(line.get_ydata()[0])]
            for line in stays
            for time in range(*line.get_xdata())
        }
        assert shown == {(colour(one["resident"], SIX), one["time"]): one["place"] for one in records}
    assert [text.get_text() for text in axes.texts if text.get_text() in where] == list(where)


def drawn(axes):
    """Return the drawn times and values of each resident, identified by colour."""
    names = {colour(name, SIX): name for name in SIX}
    return {
        names[line.get_color()]: list(zip(line.get_xdata(), line.get_ydata(), strict=True))
        for line in axes.lines
        if line.get_color() in names
    }


def test_every_panel_draws_its_own_numbers_of_everybody(run):
    """Compare figures 6a, 6b, 7a and 7b with the data."""
    records, metrics, _ = run
    quantities = ("driver", "pleasure", "arousal", "dominance", "resources")
    panels = [*figures.driver(records).axes, *figures.emotion(records).axes, *figures.resources(records).axes]
    data = {
        quantity: {name: [(one["time"], one[quantity]) for one in records if one["resident"] == name] for name in SIX}
        for quantity in quantities
    }
    assert all(one != other for one, other in itertools.combinations(data.values(), 2))
    for axes, quantity in zip(panels, quantities, strict=True):
        assert drawn(axes) == data[quantity]
        assert axes.get_ylabel() == quantity.capitalize()
    rows = {(row["subject"], row["time"], row["quantity"]): row["value"] for row in metrics}
    for place, values in topic_lines(metrics).items():
        expected = [rows[place, time, "topic"] if rows[place, time, "people"] else None for time in range(len(values))]
        assert values == expected


def test_who_turned_to_whom_stands_in_the_row_of_the_first_and_the_column_of_the_other(run):
    """Compare the number in each cell of figure 8 with the data."""
    records, _, _ = run
    names, counts = figures.interaction_counts(records)
    (axes,) = figures.interactions(records).axes
    cells = {(int(text.get_position()[1]), int(text.get_position()[0])): int(text.get_text()) for text in axes.texts}
    assert cells == {(i, j): counts[i, j] for i in range(6) for j in range(6) if i != j}
    assert [label.get_text() for label in axes.get_yticklabels()] == list(names)
    assert [label.get_text() for label in axes.get_xticklabels()] == list(names)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Receiver", "Initiator")
    assert (counts != counts.T).any()


def test_metrics_may_come_from_a_csv_file():
    metrics = [
        {"time": str(t), "subject": "outside", "quantity": quantity, "value": value}
        for t in range(4)
        for quantity, value in (("topic", str(t / 4)), ("people", "1.0"))
    ]
    assert topic_lines(metrics) == {"outside": [0.0, 0.25, 0.5, 0.75]}


def topic_lines(metrics):
    """Return the drawn values of each place, None for a gap."""
    (axes,) = figures.topics(metrics).axes
    lines = [line for line in axes.lines if not line.get_label().startswith("_")]
    return {line.get_label(): [None if math.isnan(y) else y for y in map(float, line.get_ydata())] for line in lines}


def topics_of(people, topics):
    rows = []
    for time, (count, value) in enumerate(zip(people, topics, strict=True)):
        rows.append({"time": time, "subject": "outside", "quantity": "topic", "value": value})
        rows.append({"time": time, "subject": "outside", "quantity": "people", "value": count})
    return rows


def test_a_topic_is_drawn_where_people_are_and_only_there():
    metrics = topics_of([2, 1, 0, 0, 1, 0, 3], [0.0, 0.4, 0.0, 0.0, -0.2, 0.0, 0.5])
    assert topic_lines(metrics) == {"outside": [0.0, 0.4, None, None, -0.2, None, 0.5]}
    (axes,) = figures.topics(metrics).axes
    (line,) = [line for line in axes.lines if line.get_label() == "outside"]
    assert line.get_markevery() == [0, 4, 6]  # Each stay, so that one of a single step is seen.
    assert not axes.texts


def test_a_run_without_a_count_of_people_says_how_its_empty_places_were_told():
    metrics = [row for row in topics_of([1, 1, 0], [0.0, 0.4, 0.0]) if row["quantity"] == "topic"]
    assert topic_lines(metrics) == {"outside": [None, 0.4, None]}
    (note,) = figures.topics(metrics).axes[0].texts
    later = [row for row in topics_of([1, 1, 0], [0.0, 0.4, 0.0]) if row["time"] == 2 or row["quantity"] == "topic"]
    assert topic_lines(later) == topic_lines(metrics)
    assert "does not say how many\npeople were in a place" in note.get_text()


def test_save_all(wide, tmp_path):
    before = dict(mpl.rcParams)
    paths = figures.save_all(wide, tmp_path / "figures")
    drawn = [name for name in CAPTIONS if name not in ("needs", "variables")]
    assert [path.name for path in paths] == [f"{name}.png" for name in drawn]
    for path in paths:
        with Image.open(path) as image:
            assert image.width > 500
            assert image.convert("RGBA").getpixel((0, 0)) == (255, 255, 255, 255)
    assert dict(mpl.rcParams) == before


def test_figures_without_ltrha_and_without_anything():
    records, metrics, _ = synthetic_run(steps=3, ltrha=False)
    assert list(figures.all_figures(records, metrics)) == ["driver", "emotion", "interactions", "whereabouts"]
    assert figures.all_figures([], []) == {}


@pytest.mark.filterwarnings("error")
def test_one_record_a_gap_and_strange_names():
    records = [
        record(place="$x$'s Home", resident="$x_", driver=None, resources=1.0),
        record(1, place="a < b", resident="$x_", driver=math.nan, resources=None),
    ]
    metrics = [{"time": 0, "subject": "$x$'s Home", "quantity": "topic", "value": 0.0}]
    for figure in figures.all_figures(records, metrics).values():
        figure.canvas.draw()


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8))
def test_labels_keep_their_distance_and_order(wanted):
    spots = spread(sorted(wanted), 12.0, 100.0)
    assert len(spots) == len(wanted)
    assert all(later - earlier >= 12.0 - 1e-9 for earlier, later in itertools.pairwise(spots))
    assert spots[0] >= -1e-9
    assert spots[-1] <= 100.0 + 1e-9


def test_labels_with_room_stay_where_they_are():
    assert spread([10.0, 50.0, 90.0], 12.0, 100.0) == [10.0, 50.0, 90.0]
    assert spread([50.0, 50.0], 12.0, 100.0) == [44.0, 56.0]


def test_the_strongest_colour_is_no_stronger_than_there_is():
    assert {figures._strength(most, most) for most in range(1, 3000)} == {1.0}
    assert figures._strength(1, 3000) > 0.1
