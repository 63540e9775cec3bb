"""What a sweep over the paper's five architectures found, beside what the paper found: `python studies/replication.py`.

`python studies/replication.py SWEEP [--page FILE]` prints the tables of docs/replication.md, made from the tables and
the runs of a finished sweep; with --page it puts them into that file, between its two markers. `--judged DIR` adds what
`irollan judge` left there about these runs. `--keep DIR` also copies the sweep's tables, the judge's ratings and the
manifest of the first run of each architecture there.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from evaluation.measures import actions, read_run
from evaluation.rating.rating_scale import DIMENSIONS
from evaluation.runs.architectures import ARCHITECTURES
from evaluation.social import social_structure
from evaluation.statistics import paper_table
from evaluation.statistics.wording import number, p_value
from evaluation.sweeps.comparison import compare_measures

BEGIN, END = "<!-- made by studies/replication.py -->", "<!-- end -->"
ALPHA = 0.05
LISTED = 8
"""How many pairs of architectures are named; of more, there is the number."""
BETTER = {
    "personification": {"distinct_bigrams": 1, "reply_fit": 1},
    "consistency": {"thought_action": 1, "goal_action": 1, "driver_action": 1},
    "logicality": {"precondition_failures": -1, "undone": -1, "repeated": -1},
    "exploration": {"places": 1, "objects": 1, "people": 1, "place_entropy": 1},
    "proactiveness": {"turns": 1, "begun_rate": 1, "begun_answered": 1, "active": 1},
}
"""Measures that stand for each dimension: 1 where more of it would be rated higher, -1 where less would."""
OF_WORDS = frozenset({"distinct_bigrams", "reply_fit", "thought_action"})
"""Measures of words, which say nothing where the scripted writer wrote them."""
SINGLE = ("ltrha", "compressed-memory", "driver")
HALVES: tuple[Callable[[int], slice], ...] = (lambda middle: slice(middle), lambda middle: slice(middle, None))


class Study:
    """The tables of a sweep, and its runs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not (path / "runs").is_dir():
            raise SystemExit(f"{path} has no runs; the tables are made from the logs that irollan sweep leaves there")
        self.runs = pd.read_csv(path / "runs.csv")
        self.finished = self.runs[self.runs["status"] == "finished"]
        self.tests = pd.read_csv(path / "tests.csv").set_index("measure")
        self.curves = pd.read_csv(path / "curves.csv")
        self.here = [name for name in ARCHITECTURES if (self.finished["architecture"] == name).any()]
        if not {"itcma", "itcma-s"} <= set(self.here):
            raise SystemExit(f"{path} has no finished runs of itcma and itcma-s to compare")
        without = OF_WORDS if set(self.finished["model"]) == {"scripted"} else frozenset()
        self.measures = {
            dimension: {name: sign for name, sign in own.items() if name not in without}
            for dimension, own in BETTER.items()
        }

    def mean(self, measure: str) -> pd.Series:
        """The mean of a measure by architecture, in the paper's order."""
        return self.finished.groupby("architecture")[measure].mean().reindex(self.here)

    def records(self, architecture: str) -> list[pd.DataFrame]:
        """The records of the finished runs of an architecture."""
        names = self.finished.loc[self.finished["architecture"] == architecture, "run"]
        return [actions(read_run(self.path / "runs" / name).records) for name in names]

    def manifests(self, runs: Iterable[str]) -> dict[str, Any]:
        """What runs say about themselves, by name."""
        paths = {name: self.path / "runs" / name / "manifest.json" for name in runs}
        return {name: json.loads(path.read_bytes()) for name, path in paths.items() if path.is_file()}


def facts(study: Study) -> list[str]:
    """What was run."""
    done = study.finished
    revisions = sorted({str(manifest["git_revision"]) for manifest in study.manifests(study.runs["run"]).values()})
    steps = ", ".join(map(str, sorted(done["steps"].unique())))
    return [
        f"{len(done)} of {len(study.runs)} runs finished: {len(study.here)} architectures, {done['seed'].nunique()} "
        f"seeds, {steps} time steps, model {', '.join(sorted(done['model'].unique()))}, embedder "
        f"{', '.join(sorted(done['embedder'].unique()))}. {done['seconds'].sum() / 60:.0f} minutes of runs, "
        f"{done['calls_per_resident_step'].mean():.2f} model calls and {done['tokens_per_resident_step'].mean():.0f} "
        f"tokens a resident and step, {done['unanswered'].sum()} of {done['decisions'].sum():,} decisions without an "
        f"answer. Code at {', '.join(revisions)}.",
    ]


def orders(study: Study) -> list[str]:
    """The order of architectures per dimension: the paper's ratings, and the measures that stand for them here."""
    paper = paper_table().pivot(index="dimension", columns="architecture", values="mean")[study.here]
    lines = [
        f"| dimension | measure | {' | '.join(study.here)} | tau with the paper's means | difference |",
        f"|---|---|{'---|' * len(study.here)}---|---|",
    ]
    for dimension in DIMENSIONS:
        cells = " | ".join(number(value) for value in paper.loc[dimension])
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
    """Ratings by a language model of the stories of this sweep, beside the paper's by people; they are never mixed."""
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
            cells = " | ".join(number(value) for value in table.loc[dimension])
            lines.append(f"| {dimension} | {who} | {cells} | {number(tau) if table is means else ''} |")
    return lines


def tested(study: Study, measure: str) -> str:
    """The test of a measure, in short."""
    row = study.tests.loc[measure]
    if pd.isna(row["p"]):
        return str(row["why_not"])
    return f"F {number(row['statistic'])}, p {p_value(row['p'])}, q {p_value(row['q'])}"


def findings(study: Study) -> list[str]:
    """The findings of sections 5.2 and 5.3, one a row."""
    rows = [*ranks(study), *curves(study), *society(study)]
    return ["| the paper | here |", "|---|---|", *(f"| {one} | {other} |" for one, other in rows)]


def ranks(study: Study) -> list[tuple[str, str]]:
    """Which architectures are best and worst, and which differ (section 5.2)."""
    means = {name: sign * study.mean(name) for own in study.measures.values() for name, sign in own.items()}
    table = pd.DataFrame(means).T.dropna()
    best, worst = table.eq(table.max(axis=1), axis=0), table.eq(table.min(axis=1), axis=0)
    second = table.rank(axis=1, ascending=False, method="min").eq(2).reindex(columns=["ltrha"], fill_value=False)
    found = study.tests.loc[list(table.index)]
    differ = [f"`{name}`" for name in found.index[found["q"] < ALPHA]]
    return [
        (
            "ITCMA-S is rated highest in every dimension",
            f"best, or as good as the best, in {best['itcma-s'].sum()} of {len(table)} measures",
        ),
        (
            "ITCMA is rated lowest in every dimension",
            f"worst, or as bad as the worst, in {worst['itcma'].sum()} of {len(table)} measures",
        ),
        ("LTRHA alone is second in every dimension", f"second in {second['ltrha'].sum()} of {len(table)} measures"),
        (
            "the architectures differ in every dimension (p < .001)",
            f"of {found['p'].notna().sum()} measures that could be tested, {len(differ)} differ with q < .05"
            f"{': ' if differ else ''}{', '.join(differ)}",
        ),
        (
            "no difference between the three with one module in any dimension; ITCMA-S and LTRHA alike in exploration, "
            "ITCMA and compressed memory in personification; all other pairs differ",
            pairs(study, table.index),
        ),
    ]


def pairs(study: Study, measures: pd.Index) -> str:
    """How many pairs of architectures differ, and how many of those with one module each."""
    compared = compare_measures(study.finished.assign(group=study.finished["architecture"])).pairs
    compared = compared[compared["measure"].isin(measures)]
    if compared.empty:
        return "no measure differs, so that no pairs were compared"
    apart = compared[compared["p"] < ALPHA]
    single = apart["a"].isin(SINGLE) & apart["b"].isin(SINGLE)
    named = [f"{row['a']} and {row['b']} ({row['measure']})" for _, row in apart.iterrows()]
    listed = "; ".join(named) if len(named) <= LISTED else ""
    return (
        f"{len(apart)} of {len(compared)} pairs differ in the measures that do, {int(single.sum())} of them between "
        f"two with one module{f': {listed}' if listed else ''}"
    )


def curves(study: Study) -> list[tuple[str, str]]:
    """Figures 6 and 7a, of the runs of ITCMA-S."""
    frames = study.records("itcma-s")

    def mean(of: Callable[[pd.DataFrame], float]) -> float:
        return float(np.mean([of(frame) for frame in frames]))

    def level(name: str) -> str:
        spread = mean(lambda frame: float(frame.groupby("resident", observed=True)[name].std().mean()))
        return f"mean {number(mean(lambda frame: float(frame[name].mean())))}, sd over time {number(spread)}"

    drivers = [frame.groupby("time")["driver"].mean() for frame in frames]
    halves = [np.mean([one.iloc[part(len(one) // 2)].mean() for one in drivers]) for part in HALVES]
    below = mean(lambda frame: float((frame["dominance"] < 0).mean()))
    ends = [frame.groupby("resident", observed=True)["resources"].last() for frame in frames]
    # Everybody begins with 1.
    risen, of = (float(np.mean([f(one) for one in ends])) for f in (lambda one: (one > 1).sum(), len))
    return [
        ("pleasure stays high (figure 6b)", level("pleasure")),
        ("arousal is relatively high, and stable", level("arousal")),
        (
            "dominance, not high, rarely drops below 0",
            f"{level('dominance')}, below 0 in {100 * below:.0f} % of decisions",
        ),
        (
            "the driver rises (figure 6a)",
            f"mean {number(float(halves[0]))} in the first half, {number(float(halves[1]))} in the second; rises in "
            f"{sum(slope(one.index, one) > 0 for one in drivers)} of {len(drivers)} runs",
        ),
        (
            "the resources of most residents rise, those of some flow to others (figure 7a)",
            f"{number(risen, 1)} of {of:.0f} residents end above their start; Gini "
            f"{number(study.mean('gini')['itcma-s'])}",
        ),
    ]


def society(study: Study) -> list[tuple[str, str]]:
    """Cliques, the leader and the isolated (section 5.3), of the runs of ITCMA-S."""
    found = [social_structure(frame, seed=0) for frame in study.records("itcma-s")]

    def passed(test: str) -> str:
        p = [value for one in found if np.isfinite(value := float(one.tests.loc[test, "p"]))]
        if not p:
            return "not defined in any run"
        listed = f" (p {', '.join(map(p_value, p))})" if len(p) <= 3 else ""
        return f"p < .05 in {sum(value < ALPHA for value in p)} of {len(p)} runs{listed}"

    counts = Counter(str(one.leader) for one in found).most_common()
    leaders = ", ".join(f"{name} in {count}" for name, count in counts)
    turned = [int(one.matrix.to_numpy().sum()) for one in found]
    own = study.curves[(study.curves["group"] == "itcma-s") & (study.curves["quantity"] == "topic")]
    rises = [slope(one["time"], one["value"]) > 0 for _, one in own.groupby("run") if len(one) > 2]
    return [
        (
            "a leader is selected spontaneously (LL)",
            f"{passed('leader')}; turned to most beyond expectation: {leaders}",
        ),
        (
            "a clique forms around the leader",
            f"{passed('clique around the leader')}; the leader is ahead of all others in it: "
            f"{passed('leader within the clique')}",
        ),
        (
            "two within it are closest to each other: a hierarchy",
            f"clique beyond popularity: {passed('clique beyond popularity')}; order of rank: {passed('linearity')}",
        ),
        (
            "those who lose resources are alone and do not interact",
            f"alone and poor: {passed('resources of the lonely')}; sociable and rich: "
            f"{passed('resources of the sociable')}",
        ),
        (
            "some have almost no relationships (WL, MD)",
            f"left out though there: {passed('left out')}; {min(turned)} to {max(turned)} turns to others a run",
        ),
        (
            "relationships become more solid",
            f"ties become firmer: {passed('firming')}; the same ties in both halves: {passed('stability')}",
        ),
        (
            "the topic rises where the others gather, at the leader's home (figure 7b)",
            f"the mean topic where people are rises in {sum(rises)} of {len(rises)} runs",
        ),
    ]


def slope(x: ArrayLike, y: ArrayLike) -> float:
    """How steep a straight line through the points is."""
    return float(stats.linregress(np.asarray(x, dtype=float), np.asarray(y, dtype=float)).slope)


def report(study: Study, judge: Path | None) -> str:
    """All of it as Markdown."""
    parts = [facts(study), ["### Order of architectures"], orders(study), ["### Finding by finding"], findings(study)]
    if judge is not None:
        parts += [["### Rated by a language model"], judged(study, judge)]
    return "\n\n".join("\n".join(part) for part in parts)


def main() -> None:
    """Read the sweep, then print the tables or put them into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sweep", type=Path, metavar="SWEEP", help="The directory of a sweep.")
    parser.add_argument("--page", type=Path, metavar="FILE", help="Put the tables between the markers of this page.")
    parser.add_argument("--judged", type=Path, metavar="DIR", help="What irollan judge left of these runs.")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="Copy tables and a manifest of each architecture there."
    )
    asked = parser.parse_args()
    study = Study(asked.sweep)
    text = report(study, asked.judged)
    if asked.keep is not None:
        asked.keep.mkdir(parents=True, exist_ok=True)
        for name in ("runs.csv", "tests.csv", "sweep.json"):
            shutil.copy(asked.sweep / name, asked.keep / name)
        if asked.judged is not None:
            for source, name in (("ratings.csv", "judged.csv"), ("judge.json", "judge.json")):
                shutil.copy(asked.judged / source, asked.keep / name)
        firsts = study.finished.sort_values("seed").groupby("architecture")["run"].first()
        manifests = json.dumps(study.manifests(firsts), indent=1, ensure_ascii=False)
        (asked.keep / "manifests.json").write_text(f"{manifests}\n", encoding="utf-8")
    if asked.page is None:
        print(text)
        return
    page = asked.page.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"{asked.page} lacks the markers {BEGIN} and {END}")
    asked.page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
