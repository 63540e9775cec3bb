"""What a sweep over the five architectures found, beside what the paper found: ``python -m studies.replication``.

``python -m studies.replication SWEEP [--page FILE]`` prints the tables of docs/replication.md, made from the tables and
the runs of a finished sweep; with --page it puts them into that file, between its two markers, or between those of a
part of it, with --part NAME. ``--mechanisms FILE`` sets beside each finding what ``irollan bench mechanisms --json``
printed there of the mechanisms behind it. ``--judged DIR`` adds what ``irollan judge`` left there about these runs.
``--keep DIR`` also copies the sweep's tables, the judge's ratings and the manifest of the first run of each
architecture there, and writes the tests of section 5.3 of each run of ITCMA-S.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from scipy import stats

from evaluation.rating.rating_scale import DIMENSIONS
from evaluation.records.numbers import number
from evaluation.statistics import paper_table
from evaluation.statistics.wording import p_value
from studies.findings import findings, shares
from studies.page import keep_tables, put_into
from studies.study import Study

BEGIN = "<!-- made by studies/replication.py{} -->"


def facts(study: Study) -> list[str]:
    """Describe what was run."""
    done = study.finished
    revisions = sorted({str(manifest["git_revision"]) for manifest in study.manifests(study.runs["run"]).values()})
    steps = ", ".join(map(str, sorted(done["steps"].unique())))
    return [
        f"{len(done)} of {len(study.runs)} runs finished: {len(study.here)} architectures, {done['seed'].nunique()} "
        f"seeds, {steps} time steps, model {', '.join(sorted(done['model.name'].unique()))}, embedder "
        f"{', '.join(sorted(done['model.embedder'].unique()))}. {done['seconds'].sum() / 60:.0f} minutes of runs, "
        f"{done['calls_per_resident_step'].mean():.2f} model calls and {done['tokens_per_resident_step'].mean():.0f} "
        f"tokens a resident and step, {done['unanswered'].sum()} of {done['decisions'].sum():,} decisions without an "
        f"answer. Code at {', '.join(revisions)}.",
    ]


def orders(study: Study) -> list[str]:
    """Compare the order of architectures per dimension: the paper's ratings, and the measures used here."""
    paper = paper_table().pivot(index="dimension", columns="architecture", values="mean")[study.here]
    lines = [
        f"| dimension | measure | {' | '.join(study.here)} | tau with the paper's means | difference |",
        f"|---|---|{'---|' * len(study.here)}---|---|",
    ]
    for dimension in DIMENSIONS:
        cells = " | ".join(number(paper[name][dimension]) for name in study.here)
        lines.append(f"| **{dimension}** | *human ratings in the paper* | {cells} | | |")
        for measure, sign in study.measures[dimension].items():
            means = study.mean(measure)
            known = means.notna()
            tau = (
                stats.kendalltau(paper.loc[dimension][known], sign * means[known]).statistic
                if known.sum() > 1
                else None
            )
            name = f"`{measure}`{' (less is better)' if sign < 0 else ''}"
            cells = " | ".join(number(value) for value in means)
            lines.append(f"| | {name} | {cells} | {number(tau)} | {tested(study, measure)} |")
    return lines


def judged(study: Study, folder: Path) -> list[str]:
    """Compare a language model's ratings of this sweep with the paper's ratings by people.

    Args:
        study: A sweep over the architectures.
        folder: What ``irollan judge`` left.
    """
    ratings = pd.read_csv(folder / "ratings.csv")
    strangers = sorted(set(ratings["run"]) - set(study.runs["run"]))
    if strangers:
        raise SystemExit(f"{folder} rates runs that {study.path} does not have: {', '.join(strangers)}")
    said = json.loads((folder / "judge.json").read_bytes())
    paper = paper_table().pivot(index="dimension", columns="architecture", values="mean")[study.here]
    means = ratings.pivot_table(index="dimension", columns="architecture", values="rating").reindex(columns=study.here)
    failed = said["asked"] - said["answered"]
    lines = [
        f"{said['model']}, {ratings['run'].nunique()} runs, {said['trajectories']} stories, draws of each rating: "
        f"{said['draws']}; {said['passed']} of {said['checks']} attention checks passed, {failed} of "
        f"{said['asked']} ratings failed. Means are of all draws, those that did not pass a check included.",
        "",
        f"| dimension | rated by | {' | '.join(study.here)} | tau with the paper's means |",
        f"|---|---|{'---|' * len(study.here)}---|",
    ]
    for dimension in DIMENSIONS:
        for who, table in (("people, in the paper", paper), ("judge", means)):
            tau = None if table is paper else stats.kendalltau(paper.loc[dimension], table.loc[dimension]).statistic
            cells = " | ".join(number(table[name][dimension]) for name in study.here)
            lines.append(f"| {dimension} | {who} | {cells} | {number(tau) if table is means else ''} |")
    return lines


def tested(study: Study, measure: str) -> str:
    """Describe the test of a measure in short.

    Args:
        study: A sweep over the architectures.
        measure: Its name.
    """
    row = study.tests.loc[measure]
    if pd.isna(row["p"]):
        return str(row["why_not"])
    return f"F {number(row['statistic'])}, p {p_value(row['p'])}, q {p_value(row['q'])}"


def report(study: Study, judge: Path | None, decided: Mapping[str, Mapping[str, str]]) -> str:
    """Write the whole comparison as Markdown.

    Args:
        study: A sweep over the architectures.
        judge: What ``irollan judge`` left, if anything.
        decided: By architecture and mechanism; see ``findings.shares``.
    """
    parts = [facts(study), ["### Order of architectures"], orders(study), ["### Finding by finding"]]
    parts.append(findings(study, decided))
    if judge is not None:
        parts += [["### Rated by a language model"], judged(study, judge)]
    return "\n\n".join("\n".join(part) for part in parts)


def main() -> None:
    """Read the sweep, then print the tables or put them into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sweep", type=Path, metavar="SWEEP", help="The directory of a sweep.")
    parser.add_argument("--page", type=Path, metavar="FILE", help="Put the tables between the markers of this page.")
    parser.add_argument("--part", default="", metavar="NAME", help="Of the page; its markers have that name.")
    parser.add_argument(
        "--mechanisms", type=Path, metavar="FILE", help="What irollan bench mechanisms --json printed of such runs."
    )
    parser.add_argument("--judged", type=Path, metavar="DIR", help="What irollan judge left of these runs.")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="Copy tables and a manifest of each architecture there."
    )
    asked = parser.parse_args()
    study = Study(asked.sweep)
    text = report(study, asked.judged, {} if asked.mechanisms is None else shares(asked.mechanisms))
    if asked.keep is not None:
        keep_tables(asked.sweep, asked.keep)
        study.social_tests().to_csv(asked.keep / "social.csv", index=False, float_format="%.6g")
        if asked.judged is not None:
            for source, name in (("ratings.csv", "judged.csv"), ("judge.json", "judge.json")):
                shutil.copy(asked.judged / source, asked.keep / name)
        firsts = study.finished.sort_values("seed").groupby("architecture")["run"].first()
        manifests = json.dumps(study.manifests(firsts), indent=1, ensure_ascii=False)
        (asked.keep / "manifests.json").write_text(f"{manifests}\n", encoding="utf-8")
    if asked.page is None:
        print(text)
        return
    put_into(asked.page, text, BEGIN.format(asked.part and f", {asked.part}"))


if __name__ == "__main__":
    main()
