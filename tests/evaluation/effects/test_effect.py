"""The effect of events: pairs of runs that are alike but for them, resumed, compared and shown on a page."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from empty_reports import empty_reports
from scipy import stats

import evaluation
from evaluation.commands.cli import main
from evaluation.effects.comparison import compare_pairs, compare_steps
from evaluation.measures import measure
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.process import Interrupts
from evaluation.sweeps import local
from evaluation.sweeps.declaration import declare
from evaluation.sweeps.table import group_of
from irollan_env.map.loading import MAPS

SCENARIO = 'description = "Days of a few steps."\n[mechanics.calendar]\nsteps_a_day = 24\nbegins_at = 0\n'
EVENTS = """
[[events]]
step = 2
set.calendar.steps_a_day = 12
say = { speaker = "town hall", text = "The <b>clock</b> runs faster." }
arrive = { resident = "ZZ", home = "SG's Home" }
"""


@pytest.fixture(autouse=True, scope="module")
def quick() -> Iterator[None]:
    """No report of the run itself, which no test looks at."""
    with empty_reports():
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four steps, and the effect of an event in its third, stopped in the middle and continued."""
    path = tmp_path_factory.mktemp("effects")
    (path / "days.toml").write_text(SCENARIO)
    (path / "faster.toml").write_text(EVENTS)
    (path / "own.toml").write_bytes(MAPS["irollan_valley"].read_bytes())
    asked = ["run", "--model", "scripted", "--mind", "random", "--steps", "4", "--scenario", str(path / "days.toml")]
    assert main([*asked, "--map", str(path / "own.toml"), "--out", str(path / "run")]) == 0
    (path / "own.toml").unlink()  # The run has its map, and nothing reads the file again.
    return path


@pytest.fixture(scope="module")
def found(folder: Path) -> evaluation.EffectResult:
    """Takes about 5 s: two more runs for each of three seeds, measured, compared and drawn."""
    calls = iter(range(10_000))
    out = folder / "stopped"
    with pytest.MonkeyPatch.context() as patch:
        asked = property(lambda self: next(calls) > 4, lambda self, value: None)
        patch.setattr(Interrupts, "requested", asked, raising=False)
        stopped = evaluation.effect(folder / "run", folder / "faster.toml", out, at=1, seeds=3)
    assert stopped.status == "stopped"
    states = {one["status"] for one in stopped.runs.to_dict("records")}
    assert {"stopped", "missing"} <= states
    replays = []
    with pytest.MonkeyPatch.context() as patch:
        replay = local.replay_beginning
        patch.setattr(local, "replay_beginning", lambda *given: replays.append(given) or replay(*given))
        found = evaluation.effect(
            folder / "run", folder / "faster.toml", out, at=1, seeds=3, measures=["places"], outcome="world.hour"
        )
    assert len(replays) == 1
    return found


def test_the_pairs_are_alike_until_the_event(found: evaluation.EffectResult, folder: Path) -> None:
    assert found.status == "finished"
    parent = RunDirectory(folder / "run").records()
    for seed in range(3):
        arms = [RunDirectory(found.directory.runs_path / f"{arm}-seed{seed}").records() for arm in ("with", "without")]
        assert arms[0][:6] == arms[1][:6] == parent[:6]
        before = [[{**one, "world": None} for one in arm[6:13]] for arm in arms]
        assert before[0] == before[1]
        assert arms[0][13:] != arms[1][13:]
        assert [one["place"] == "away" for one in arms[0] if one["resident"] == "ZZ"] == [True, False, False]
        assert {one["place"] for one in arms[1] if one["resident"] == "ZZ"} == {"away"}


# It lives the pairs twice.
@pytest.mark.slow
def test_continued_or_not_it_is_the_same(
    found: evaluation.EffectResult,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # The page is drawn for the other experiment already.
    module = importlib.import_module("evaluation.effects.effect")  # The package has a function of its name.
    monkeypatch.setattr(module, "write_page", lambda directory, *_: directory.report_path)
    asked = ["effect", str(folder / "run"), "--events", str(folder / "faster.toml"), "--at", "1", "--seeds", "3"]
    assert main([*asked, "--measures", "places", "--outcome", "world.hour", "--out", str(folder / "whole")]) == 0
    assert main([*asked, "--outcome", "hour"]) == 2
    assert "did you mean 'world.hour'?" in capsys.readouterr().err
    for name in ("effects.csv", "pairs.csv", "steps.csv"):
        assert (folder / "whole" / name).read_bytes() == (found.directory.path / name).read_bytes()


def test_effects_on_variables_and_measures(found: evaluation.EffectResult) -> None:
    rows = found.effects.set_index("outcome")
    hour = rows.loc["world.hour"]
    # Hours 2, 3, 4 without; 4, 6, 8 with, after each step from the second on.
    assert hour["without"] == pytest.approx(3.0)
    assert hour["with"] == pytest.approx(6.0)
    assert (hour["low"], hour["high"], hour["why_not"]) == (3.0, 3.0, "all pairs differ by the same amount")
    assert rows.loc["places", "n"] == 3
    runs = [RunDirectory(found.directory.runs_path / f"without-seed{seed}").records() for seed in range(3)]
    later = pd.concat(measure([record for record in run if record["time"] >= 1]) for run in runs)
    places = later.query("level == 'society' and measure == 'places'")["value"]
    assert rows.loc["places", "without"] == pytest.approx(places.mean())
    by_step = found.steps[found.steps["quantity"] == "world.hour"]
    assert by_step["difference"].tolist() == [2.0, 3.0, 4.0]
    assert found.report is not None
    page = found.report.read_text()
    assert found.effects.iloc[0][["outcome", "role"]].tolist() == ["world.hour", "primary"]
    assert set(found.effects["role"][1:]) == {"exploratory"}
    assert found.effects["q"].isna()[0]
    assert "Primary outcome: world.hour (of the world, mean over steps) goes from 3.000" in found.primary
    assert found.primary in page.replace("&#39;", "'")
    assert "&lt;b&gt;clock" in page
    assert "<b>clock" not in page


def test_statistics_of_pairs() -> None:
    rng = np.random.default_rng(0)
    values = pd.DataFrame(
        [
            {"group": arm, "seed": seed, "kind": "measure", "dimension": "d", "outcome": name, "meaning": "m"}
            | {"value": rng.normal() + seed + shift * (arm == "with")}
            for name, shift in (("moved", 3.0), ("still", 0.0))
            for seed in range(8)
            for arm in ("with", "without")
        ]
    )
    effects, pairs = compare_pairs(values)
    for _, row in effects.iterrows():
        own = pairs[pairs["outcome"] == row["outcome"]]
        test = stats.ttest_rel(own["with"], own["without"])
        interval = test.confidence_interval()
        assert row[["difference", "low", "high", "p"]].tolist() == pytest.approx(
            [own["difference"].mean(), interval.low, interval.high, test.pvalue]
        )
    first, _ = compare_pairs(values, "still")
    assert first["outcome"].tolist() == ["still", "moved"]
    assert first["p"].tolist() == effects["p"].tolist()[::-1]
    assert first["q"][1] == pytest.approx(first["p"][1])
    smaller, larger = sorted(effects["p"])
    assert sorted(effects["q"]) == pytest.approx([min(2 * smaller, larger), larger])
    steps = compare_steps(values.assign(quantity="x", time=5)[values["outcome"] == "moved"])
    moved = effects.set_index("outcome").loc["moved"]
    assert steps[["low", "high"]].iloc[0].tolist() == pytest.approx([moved["low"], moved["high"]])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--seeds", "2"], "seeds must be at least 3"),
        (["--at", "4"], "has 4 steps"),
        (["--at", "3"], "events[1].step is 2, before the branch"),
        (["--measures", "placs"], "did you mean 'places'"),
        (["--outcome", "places_"], "did you mean 'places'"),
        (["--outcome", "world.hours"], "did you mean 'world.hour'"),
        (["--events", "missing.toml"], "there is no file missing.toml"),
        (["--out", "RUN"], "files that are not a sweep's"),
    ],
)
def test_bad_input_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], expected: str
) -> None:
    asked = ["effect", str(folder / "run"), "--events", str(folder / "faster.toml"), "--out", str(tmp_path / "e")]
    assert main([*asked, *(str(folder / "run") if one == "RUN" else one for one in options)]) == 2
    assert expected in capsys.readouterr().err
    assert not (tmp_path / "e").exists()


def test_events_are_a_factor_of_sweeps(folder: Path) -> None:
    declaration = declare({"model.name": "scripted", "world.events": ["nothing", str(folder / "faster.toml")]})
    cells = declaration.cells()
    assert [cell.name.partition("seed0-")[2] for cell in cells] == ["events-nothing", "events-faster"]
    assert [group_of(cell, declaration.varied) for cell in cells] == ["events=nothing", "events=faster"]
    assert [len(cell.configuration.world.events.get("events", ())) for cell in cells] == [0, 1]
