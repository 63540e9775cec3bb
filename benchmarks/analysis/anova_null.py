"""False positive rate and power of `irollan anova` on simulated studies, by design.

Where architectures do not differ, a test should have p < .05 in 5 per cent of the studies. Results are appended to a
file if one is named, and studies already in it are skipped, so that a long simulation can be interrupted.
"""

from __future__ import annotations

import csv
import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from threadpoolctl import threadpool_limits

from benchmarks.analysis.made_up_studies import BEYOND_TESTS, STUDIES, ratings_of
from benchmarks.reporting import AsJson, as_table_or_json, check_known, progress, put_section, table, wilson
from evaluation.statistics import describe, levene, omnibus
from evaluation.statistics.analysis import decide
from evaluation.statistics.mixed_models import dependence
from evaluation.statistics.result import lead_of

ALPHA, LIMIT = 0.05, 0.06
EFFECT = 1.0
"""Points between the best and the worst architecture in studies with an effect."""

TESTS = ("lead", "ranks", "plain")
Results = dict[tuple[str, float], dict[int, dict[str, float]]]


def command(
    studies: Annotated[int, typer.Option(metavar="N", min=1, help="Studies without a difference, a design.")] = 200,
    planted: Annotated[int, typer.Option(metavar="N", min=0, help="Studies with one, a design.")] = 50,
    results: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A CSV file that keeps p-values; it is continued.")
    ] = None,
    page: Annotated[Path | None, typer.Option(metavar="FILE", help="Put the table into its section there.")] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="DESIGN", help="These alone; repeatable.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print the share of studies with p < .05 of each design, with nothing to find and with something."""
    check_known("design", only or (), STUDIES)
    warnings.simplefilter("ignore")
    known = _read(results) if results is not None else defaultdict(dict)
    told = progress("anova_null")
    with threadpool_limits(1):
        for design in only or STUDIES:
            for effect, wanted in ((0.0, studies), (EFFECT, planted)):
                for number in range(wanted):
                    if number not in known[design, effect]:
                        found = p_values(design, effect, number)
                        known[design, effect][number] = found
                        _append(results, design, effect, number, found)
                told(f"{design}, effect {effect}: {wanted} studies")
    rows = shares(known)
    text = as_markdown(rows)
    if page is not None:
        put_section(page, "anova_null", text)
    as_table_or_json(rows, text, as_json=as_json)


def p_values(design: str, effect: float, number: int) -> dict[str, float]:
    """Return the p-values of one simulated study: the design's test, the test of ranks, and the plain test.

    The plain test is that of section 5.2 of the paper, chosen by Levene's test. NaN for a test that is not done.
    """
    rng = np.random.default_rng([list(STUDIES).index(design), round(100 * effect), number])
    ratings = ratings_of(STUDIES[design], rng, effect)
    groups = describe(ratings)
    tests = omnibus(groups)
    models, _ = dependence(ratings, list(groups["architecture"]))
    lead = lead_of(models["design"], models["mixed_model"], groups)
    ranks = np.nan if models["ordinal_model"] is None else models["ordinal_model"]["p"]
    decided, _ = decide(levene(ratings)["p"])
    return {"lead": lead.p, "ranks": ranks, "plain": float(tests["p"][decided])}


def shares(known: Results) -> list[dict[str, object]]:
    """Return one row per design and test: design, effect, test, studies, share with p < .05, 95 per cent interval."""
    rows: list[dict[str, object]] = []
    for (design, effect), found in known.items():
        for test in TESTS:
            p = np.array([one[test] for one in found.values()])
            p = p[np.isfinite(p)]
            if len(p):
                hits = int((p < ALPHA).sum())
                low, high = wilson(hits, len(p))
                share = hits / len(p)
                rows.append(
                    {"design": design, "effect": effect, "test": test, "studies": len(p), "share": share}
                    | {"low": low, "high": high}
                )
    return rows


def as_markdown(rows: Iterable[Mapping[str, object]]) -> str:
    """Return the table of docs/calibration.md in Markdown, with shares above the limit in bold."""
    by = {(row["design"], row["effect"], row["test"]): row for row in rows}
    lines = []
    for design, study in STUDIES.items():
        if (design, 0.0, "lead") in by:
            cells = [_cell(by.get((design, 0.0, test))) for test in TESTS]
            power = by.get((design, EFFECT, "lead"))
            found = "–" if power is None or design in BEYOND_TESTS else f"{_short(power['share'])} ({power['studies']})"
            lines.append([f"{design}: {study.what}", *cells, found])
    return table(
        ["design", "p < .05 by the test that leads", "of ranks", "plain", "power of the test that leads (studies)"],
        lines,
    )


def _cell(row: Mapping[str, object] | None) -> str:
    if row is None:
        return "–"
    text = f"{_short(row['share'])} [{_short(row['low'])}, {_short(row['high'])}] ({row['studies']})"
    return f"**{text}**" if float(str(row["share"])) > LIMIT else text


def _short(share: object) -> str:
    return f"{float(str(share)):.3f}".removeprefix("0")


def _read(path: Path) -> Results:
    known: Results = defaultdict(dict)
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                p = {test: float(row[test]) for test in TESTS}
                known[row["design"], float(row["effect"])][int(row["number"])] = p
    return known


def _append(path: Path | None, design: str, effect: float, number: int, found: Mapping[str, float]) -> None:
    if path is None:
        return
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(["design", "effect", "number", *TESTS])
        writer.writerow([design, effect, number, *(found[test] for test in TESTS)])
