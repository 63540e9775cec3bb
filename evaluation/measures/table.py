"""Tidy tables of all measures of one run or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from evaluation.measures.catalogue import MEASURES, Level
from evaluation.measures.consistency import consistency
from evaluation.measures.data_frames import RunLike, actions
from evaluation.measures.exploration import exploration
from evaluation.measures.livelihood import hardship, occupations, property_inequality
from evaluation.measures.logicality import logicality
from evaluation.measures.personification import personification
from evaluation.measures.proactiveness import proactiveness
from evaluation.measures.social_roles import action_variety, division_of_labour
from evaluation.measures.society import final_resources, inequality, time_alone, topics
from evaluation.measures.talk.talk import Cases, talk, talk_cases
from evaluation.records.recorded_run import RecordedRun
from language_models.protocol import Embedder

COLUMNS = ("dimension", "measure", "level", "subject", "value")
RUN_COLUMNS = ("run", "architecture", "model", "embedder", "seed", "status", "steps")


def measure(run: RunLike, embedder: Embedder | None = None, cases: Mapping[str, Cases] | None = None) -> pd.DataFrame:
    """Compute all measures of one run.

    Args:
        run: Its directory, an object with its records, its records, or the frame of ``actions``.
        embedder: Compares texts, usually the run's own; None leaves out the measures that need one.
        cases: From ``talk_cases``, where they are known already; found here when None.

    Returns:
        A tidy table with the columns dimension, measure, level ("resident", "place" or "society"), subject (the
        resident or place; empty for the society) and value, missing where the measure is not defined. The society's
        value of a resident's measure is the mean over the residents for whom it is defined; that of a share of talk is
        the share over all residents' cases together.

    Raises:
        ValueError: if the run has no whole time step, or its records lack what measures need.

    Example:
        >>> from evaluation.measures import measure
        >>> table = measure("runs/mine")
        >>> society = table.query("level == 'society'").set_index("measure")["value"]
        >>> float(society["people"])
        5.0
    """
    frame = actions(run)
    society: dict[str, float] = {
        **division_of_labour(frame),
        **inequality(frame),
        **property_inequality(frame),
        **occupations(frame),
    }
    talk_of_each, talk_of_all = talk(frame, talk_cases(frame, embedder) if cases is None else cases)
    rows: list[tuple[str, Level, str, float]] = []
    for table in (
        exploration(frame),
        proactiveness(frame),
        consistency(frame, embedder),
        logicality(frame),
        personification(frame, embedder),
        action_variety(frame),
        final_resources(frame),
        time_alone(frame),
        hardship(frame),
        talk_of_each,
    ):
        for name, values in table.items():
            rows += [(str(name), "resident", str(subject), float(value)) for subject, value in values.items()]
            society[str(name)] = float(values.mean())
    society |= talk_of_all
    rows += [(name, "society", "", float(value)) for name, value in society.items()]
    for name, values in topics(frame).items():
        rows += [(str(name), "place", str(place), float(value)) for place, value in values.items()]
    order = {name: position for position, name in enumerate(MEASURES)}
    levels = ("society", "resident", "place")
    rows.sort(key=lambda row: (order[row[0]], levels.index(row[1])))
    return pd.DataFrame([(MEASURES[row[0]].dimension, *row) for row in rows], columns=list(COLUMNS))


def measure_runs(
    runs: Iterable[RecordedRun],
    embedder_of: Callable[[str], Embedder | None],
) -> pd.DataFrame:
    """Compute all measures of several runs.

    Args:
        runs: Runs from ``read_run``.
        embedder_of: Returns the embedder for a name in a manifest; None leaves out the measures that need one.

    Returns:
        The columns of ``measure``, preceded by run, architecture, model, embedder, seed, status and steps.
    """
    tables = []
    for run in runs:
        about = describe(run)
        table = measure(run, embedder_of(about["embedder"]))
        for position, column in enumerate(RUN_COLUMNS):
            table.insert(position, column, about[column])
        tables.append(table)
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=[*RUN_COLUMNS, *COLUMNS])


def describe(run: RecordedRun) -> dict[str, Any]:
    """Identify a run by its manifest; the keys are ``RUN_COLUMNS``."""
    effective: Mapping[str, Any] = run.manifest.get("configuration", {}).get("effective", {})
    return {
        "run": str(run.path),
        "architecture": effective.get("architecture"),
        "model": effective.get("model", {}).get("name"),
        "embedder": effective.get("model", {}).get("embedder"),
        "seed": effective.get("seed"),
        "status": run.manifest.get("status"),
        "steps": len({record["time"] for record in run.records}),
    }


def one_row_per_run(table: pd.DataFrame) -> pd.DataFrame:
    """Pivot the society's measures of ``measure_runs`` to one row per run and one column per measure."""
    society = table[table["level"] == "society"]
    wide = society.pivot(index=list(RUN_COLUMNS), columns="measure", values="value").reset_index()
    named = [name for name in MEASURES if name in wide.columns]
    return wide[[*RUN_COLUMNS, *named]].rename_axis(columns=None)
