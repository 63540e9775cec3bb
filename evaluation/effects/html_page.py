"""The effect of events as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

from evaluation.effects.comparison import EXPLORATORY, PRIMARY, SAME, WITH, WITHOUT
from evaluation.effects.outcomes import RESIDENTS
from evaluation.html_theme.svg import inline_svg
from evaluation.html_theme.templates import templates
from evaluation.records.files import write_atomically
from evaluation.records.numbers import number, row_dicts
from evaluation.statistics.omnibus import ALPHA
from evaluation.statistics.wording import p_value
from evaluation.sweeps import plots
from evaluation.sweeps.curves import QUANTITIES, bands
from evaluation.sweeps.directory import SweepDirectory
from evaluation.sweeps.html_page import linked_runs
from evaluation.sweeps.table import GROUP

_SHOWN, _DIFFERENCE = 5, "with − without"
_LIBRARIES = ("scipy", "statsmodels", "pandas")


def write_page(
    directory: SweepDirectory,
    facts: Sequence[tuple[str, str]],
    events: str,
    runs: pd.DataFrame,
    effects: pd.DataFrame,
    steps: pd.DataFrame,
    curves: pd.DataFrame,
) -> Path:
    """Write the page of an experiment; all text from files and runs is escaped.

    Args:
        directory: Of the experiment.
        facts: What was compared.
        events: The text of the events file.
        runs: One row per run.
        effects: The frame of ``compare_pairs``.
        steps: The frame of ``compare_steps``.
        curves: The frame of ``values_by_step``; at least one pair is in it.
    """
    titles = {
        **QUANTITIES,
        **{
            name: f"{name} ({'world' if name.startswith('world.') else RESIDENTS})"
            for name in dict.fromkeys(curves["quantity"])
            if name not in QUANTITIES
        },
    }
    differences = steps.rename(columns={"difference": "mean"}).assign(**{GROUP: _DIFFERENCE})
    drawn = {"arms": (bands(curves), [WITH, WITHOUT]), "difference": (differences, [_DIFFERENCE])}
    figures = {
        name: [
            inline_svg(plots.curves(table, groups, titles=titles), name, name),
            inline_svg(plots.curves(table, groups, titles=titles, narrow=True), f"{name}-narrow", name),
        ]
        for name, (table, groups) in drawn.items()
    }
    environment = templates("evaluation.effects")
    environment.filters.update(number=number, p=p_value)
    page = environment.get_template("effect.html").render(
        facts=[*facts, ("Runs finished", f"{int((runs['status'] == 'finished').sum())} of {len(runs)}")],
        findings=findings(effects),
        dimensions=_dimensions(effects),
        figures=figures,
        events=events,
        runs=linked_runs(directory, runs),
        alpha=ALPHA,
        same=SAME,
        libraries=", ".join(f"{name} {version(name)}" for name in _LIBRARIES),
    )
    write_atomically(directory.report_path, page.encode("utf-8", "backslashreplace"))
    return directory.report_path


def _dimensions(effects: pd.DataFrame) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the rows of the table by dimension, the primary outcome under a heading of its own."""

    def heading(row: dict[str, Any]) -> str:
        return "primary outcome" if row["role"] == PRIMARY else str(row["dimension"])

    return [(name, list(rows)) for name, rows in groupby(row_dicts(effects), key=heading)]


def describe_primary(effects: pd.DataFrame) -> str:
    """Describe the effect on the primary outcome; empty where there is none."""
    for row in row_dicts(effects[effects["role"] == PRIMARY]):
        tested = f" ({row['why_not']})" if row["why_not"] else f", {_equals('p', row['p'])}"
        return f"Primary outcome: {_change(row)}; difference {_interval(row)}{tested}, without correction."
    return ""


def findings(effects: pd.DataFrame) -> list[str]:
    """Describe the effects that were found: on the primary outcome first, then on the others, in order of q."""
    primary = describe_primary(effects)
    others = _exploratory(effects[effects["role"] == EXPLORATORY])
    return [primary, "All other outcomes are exploratory.", *others] if primary else others


def _exploratory(effects: pd.DataFrame) -> list[str]:
    tested = effects[effects["q"].notna()].sort_values("q", kind="stable")
    said = [f"In every pair alike, {_change(row)}." for row in row_dicts(effects[effects["why_not"] == SAME])[:_SHOWN]]
    if tested.empty:
        return said or ["Nothing could be tested, so that nothing can be said about an effect; the table says why."]
    found = row_dicts(tested[tested["q"] < ALPHA])
    if not found:
        return [
            *said,
            f"In none of {len(tested)} measures and variables that were tested an effect was found; nearest to one: "
            f"{_sentence(row_dicts(tested)[0])}. That is not to say that there is none: the intervals show how large "
            "it may be.",
        ]
    said += [
        f"The events change {len(found)} of {len(tested)} measures and variables that were tested; of such effects "
        f"{100 * ALPHA:.0f} % are expected to be false."
    ]
    said += [f"{_sentence(row)}." for row in found[:_SHOWN]]
    return said + ([f"The other {len(found) - _SHOWN} are in bold below."] if len(found) > _SHOWN else [])


def _sentence(row: dict[str, Any]) -> str:
    return f"{_change(row)}; difference {_interval(row)}, {_equals('p', row['p'])}, {_equals('q', row['q'])}"


def _equals(name: str, value: float) -> str:
    text = p_value(value)
    return f"{name} {text}" if text.startswith("<") else f"{name} = {text}"


def _interval(row: dict[str, Any]) -> str:
    numbers = [number(row[key], 3) for key in ("difference", "low", "high")]
    return f"{numbers[0]} [{numbers[1]}, {numbers[2]}]"


def _change(row: dict[str, Any]) -> str:
    means = f"from {number(row[WITHOUT], 3)} without to {number(row[WITH], 3)} with the events"
    return f"{row['outcome']} ({row['meaning']}) goes {means}"
