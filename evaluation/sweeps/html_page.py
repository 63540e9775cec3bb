"""Comparison of a sweep's runs as one self-contained HTML page."""

from __future__ import annotations

from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from evaluation.html_theme.svg import inline_svg
from evaluation.html_theme.templates import templates
from evaluation.measures import MEASURES
from evaluation.models.file_hashes import describe_models
from evaluation.rating.rating_scale import ordered
from evaluation.records.files import write_atomically
from evaluation.records.numbers import json_ready, number, row_dicts
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.architectures import ARCHITECTURES
from evaluation.statistics import wording
from evaluation.statistics.omnibus import ALPHA
from evaluation.sweeps import plots
from evaluation.sweeps.comparison import MeasureTests
from evaluation.sweeps.directory import SweepDirectory
from evaluation.sweeps.findings import findings
from evaluation.sweeps.table import GROUP

_CURVES = "Mean of each group over time, with its band"
LIBRARIES = ("scipy", "statsmodels", "pingouin", "pandas")


def write_page(directory: SweepDirectory, table: pd.DataFrame, tests: MeasureTests, bands: pd.DataFrame) -> Path:
    """Write the report of a sweep; all text from runs is escaped.

    Args:
        directory: Directory of the sweep.
        table: The result of ``runs_table``; at least one run is finished.
        tests: The result of ``compare_measures``.
        bands: The result of ``bands``.
    """
    environment = templates("evaluation.sweeps")
    environment.filters.update(number=number, p=wording.p_value, df=wording.freedom)
    finished = table[table["status"] == "finished"]
    groups = ordered(finished[GROUP], tuple(ARCHITECTURES))
    page = environment.get_template("sweep.html").render(
        facts=_facts(directory, table),
        groups=groups,
        notes=tests.notes,
        dimensions=_dimensions(tests, groups),
        pairs=row_dicts(tests.pairs),
        findings=findings(tests, groups),
        curves=inline_svg(plots.curves(bands, groups), "curves", _CURVES),
        narrow=inline_svg(plots.curves(bands, groups, narrow=True), "curves-narrow", _CURVES),
        costs=[_costs(name, finished[finished[GROUP] == name]) for name in groups],
        runs=linked_runs(directory, table),
        names=wording.TEST_NAMES,
        meanings={name: one.meaning for name, one in MEASURES.items()},
        alpha=ALPHA,
        libraries=", ".join(f"{name} {version(name)}" for name in LIBRARIES),
    )
    write_atomically(directory.report_path, page.encode("utf-8", "backslashreplace"))
    return directory.report_path


def _facts(directory: SweepDirectory, table: pd.DataFrame) -> list[tuple[str, str]]:
    facts = [("Sweep", directory.path.resolve().name), ("Runs finished", _share(table["status"] == "finished"))]
    models = [_model(directory, row) for row in row_dicts(table[["run", "model.name"]])]
    for label, column in (("Models", models), ("Seeds", table["seed"]), ("Time steps", table["steps"])):
        values = list(dict.fromkeys(map(str, column)))
        facts.append((label, ", ".join(values) if len(values) <= 4 else f"{len(values)} from {values[0]} on"))
    return facts


def _model(directory: SweepDirectory, row: dict[str, Any]) -> str:
    """Return the model of a run, with its adapter if the run has started."""
    run = RunDirectory(directory.runs_path / str(row["run"]))
    models = describe_models(run.read_manifest()) if run.manifest_path.is_file() else {}
    return models.get("Model", str(row["model.name"]))


def _share(flags: pd.Series) -> str:
    return f"{int(flags.sum())} of {len(flags)}"


def _dimensions(tests: MeasureTests, groups: list[str]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the measures by dimension, each with its test and the values of the groups."""
    rows = []
    for row in row_dicts(tests.table):
        own = tests.groups[tests.groups["dimension"] == row["measure"]]
        cells = {one["architecture"]: one for one in row_dicts(own)}
        rows.append({**row, "cells": [cells.get(name) for name in groups]})
    return [(name, list(group)) for name, group in groupby(rows, key=lambda row: str(row["dimension"]))]


def _costs(name: str, own: pd.DataFrame) -> dict[str, Any]:
    dollars = own["dollars"].dropna()
    return {
        "group": name,
        "runs": len(own),
        "calls": own["calls_per_resident_step"].mean(),
        "tokens": own["tokens_per_resident_step"].mean(),
        "seconds": own["seconds_per_step"].mean(),
        "unanswered": own["unanswered"].sum() / own["decisions"].sum(),
        "dollars": dollars.sum() if len(dollars) else None,
        "uncounted": ", ".join(dict.fromkeys(own["uncounted"].dropna()[own["uncounted"] != ""])),
    }


def linked_runs(directory: SweepDirectory, table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of ``runs_table``, each with the URL of its report relative to the page; empty without one."""
    rows = []
    for row in row_dicts(table):
        path = directory.runs_path / str(row["run"]) / "report.html"
        report = quote(path.relative_to(directory.path).as_posix()) if path.is_file() else ""
        rows.append(json_ready(row) | {"report": report})
    return rows
