"""A finished sweep over the paper's architectures: its tables, its runs, and the measures that stand for dimensions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from evaluation.measures import actions, read_run
from evaluation.runs.architectures import ARCHITECTURES
from evaluation.social import SocialStructure, social_structure

BETTER = {
    "personification": {"distinct_bigrams": 1, "reply_fit": 1},
    "consistency": {"thought_action": 1, "goal_action": 1, "driver_action": 1},
    "logicality": {"precondition_failures": -1, "undone": -1, "repeated": -1},
    "exploration": {"places": 1, "objects": 1, "people": 1, "place_entropy": 1},
    "proactiveness": {"turns": 1, "initiated_rate": 1, "initiated_answered": 1, "active": 1},
}
"""Measures that stand for each dimension: 1 where more of it would be rated higher, -1 where less would."""
OF_WORDS = frozenset({"distinct_bigrams", "reply_fit", "thought_action"})
"""Measures of words, which say nothing where the scripted writer wrote them."""


class Study:
    """Read the tables and the runs of a sweep."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not (path / "runs").is_dir():
            raise SystemExit(f"{path} has no runs; the tables are made from the logs that irollan sweep leaves there")
        if not (path / "runs.csv").is_file():
            raise SystemExit(f"{path} has no runs.csv, which irollan sweep leaves at its end")
        self.runs = pd.read_csv(path / "runs.csv")
        self.finished = self.runs[self.runs["status"] == "finished"]
        self.tests = pd.read_csv(path / "tests.csv").set_index("measure")
        self.curves = pd.read_csv(path / "curves.csv")
        self.here = [name for name in ARCHITECTURES if (self.finished["architecture"] == name).any()]
        if not {"itcma", "itcma-s"} <= set(self.here):
            raise SystemExit(f"{path} has no finished runs of itcma and itcma-s to compare")
        without = OF_WORDS if set(self.finished["model.name"]) == {"scripted"} else frozenset()
        self.measures = {
            dimension: {name: sign for name, sign in own.items() if name not in without}
            for dimension, own in BETTER.items()
        }

    def mean(self, measure: str) -> pd.Series:
        """Return the mean of a measure by architecture, in the paper's order."""
        return self.finished.groupby("architecture")[measure].mean().reindex(self.here)

    def records(self, architecture: str) -> list[pd.DataFrame]:
        """Return the records of the finished runs of an architecture."""
        names = self.finished.loc[self.finished["architecture"] == architecture, "run"]
        return [actions(read_run(self.path / "runs" / name).records) for name in names]

    @cached_property
    def structures(self) -> dict[str, SocialStructure]:
        """Compute the social structure of each finished run of ITCMA-S."""
        names = self.finished.loc[self.finished["architecture"] == "itcma-s", "run"]
        return dict(zip(names, (social_structure(one, seed=0) for one in self.records("itcma-s")), strict=True))

    def social_tests(self) -> pd.DataFrame:
        """Run each test of section 5.3 on each run of ITCMA-S: columns run, test, value, null_mean, p."""
        tables = [one.tests.assign(run=name) for name, one in self.structures.items()]
        return pd.concat(tables)[["run", "test", "value", "null_mean", "p"]]

    def manifests(self, runs: Iterable[str]) -> dict[str, Any]:
        """Read the manifests of runs, by name."""
        paths = {name: self.path / "runs" / name / "manifest.json" for name in runs}
        return {name: json.loads(path.read_bytes()) for name, path in paths.items() if path.is_file()}
