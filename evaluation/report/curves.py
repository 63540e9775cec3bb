"""Functions that plot curves of a run on given Matplotlib axes."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from evaluation.measures.data_frames import HasRecords, records_of
from evaluation.records.interactions import Record, residents
from evaluation.report.line_drawing import lines
from evaluation.report.place_figures import number


def plot_driver(run: str | HasRecords | Sequence[Record], ax: Axes | None = None) -> Axes:
    """Plot the driver of each resident over time (figure 6a).

    Args:
        run: Its directory, an object with its records, or the records.
        ax: Where to draw; new axes when None.
    """
    return _plot(run, "driver", ax)


def plot_resources(run: str | HasRecords | Sequence[Record], ax: Axes | None = None) -> Axes:
    """Plot the resources of each resident over time (figure 7a).

    Args:
        run: Its directory, an object with its records, or the records.
        ax: Where to draw; new axes when None.

    Raises:
        ValueError: for a run without LTRHA.
    """
    return _plot(run, "resources", ax)


def plot_emotion(run: str | HasRecords | Sequence[Record], quantity: str = "pleasure", ax: Axes | None = None) -> Axes:
    """Plot an emotion of each resident over time (figure 6b).

    Args:
        run: Its directory, an object with its records, or the records.
        quantity: "pleasure", "arousal" or "dominance".
        ax: Where to draw; new axes when None.

    Raises:
        ValueError: for another quantity.
    """
    if quantity not in ("pleasure", "arousal", "dominance"):
        raise ValueError(f"quantity must be one of pleasure, arousal, dominance, got {quantity!r}")
    return _plot(run, quantity, ax)


def _plot(run: str | HasRecords | Sequence[Record], quantity: str, ax: Axes | None) -> Axes:
    records = sorted(records_of(run), key=lambda record: int(record["time"]))
    names = residents(records)
    if all(record.get(quantity) is None for record in records):
        raise ValueError(f"the run has no {quantity}; run an architecture with LTRHA")
    series = {
        name: (
            [int(record["time"]) for record in records if record["resident"] == name],
            [number(record.get(quantity)) for record in records if record["resident"] == name],
        )
        for name in names
    }
    axes = plt.subplots(figsize=(8, 4), layout="constrained")[1] if ax is None else ax
    lines(axes, series, names, quantity.capitalize())
    return axes
