"""Tests of sweeps with the scripted model: each cell runs once, and unfinished cells resume."""

import importlib
import io
import json
import multiprocessing
import os
import runpy
import threading
import time
from collections import Counter
from functools import partial

import pandas as pd
import pytest
from society_answers import answer
from stand_in import chat

from evaluation.commands.cli import main
from evaluation.measures.table import COLUMNS
from evaluation.records.map_file import map_bytes
from evaluation.records.run_directory import RunDirectory
from evaluation.report import run_report
from evaluation.runs.execution import RunExecution
from evaluation.sweeps import SweepDirectory, read_declaration
from evaluation.sweeps.sweep_progress import LineDisplay, SweepProgress
from evaluation.sweeps.table import runs_table
from irollan_env import load_map
from itcma_s.ablation.mechanisms import MECHANISMS
from itcma_s.resident import ItcmaResident
from language_models.scripted import ScriptedModel
from language_models.transcript.transcript import Transcript

SAME = ("events.jsonl", "metrics.csv")
QUICK = ("--set", "model.name=scripted", "--set", "steps=3")
SMALL = (*QUICK[:2], "--set", "steps=1")
TWO = (*QUICK, "--set", "architecture=itcma,itcma-s", "--set", "seed=0-1")
NAMES = ("itcma-scripted-seed0", "itcma-s-scripted-seed0", "itcma-scripted-seed1", "itcma-s-scripted-seed1")
ALONE = NAMES[1:3]
CONCURRENCY = 8
"""Default number of concurrent requests to a server."""


def no_figures(directory, *_):
    """Skip the figures and the report of each run, which take longer than the run."""
    directory.report_path.touch()
    return directory.report_path


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(run_report, "write_report", no_figures)


@pytest.fixture
def uncompared(monkeypatch):
    """Skip the comparison, which takes longer than the runs."""

    # The package has a function of the module's name.
    module = importlib.import_module("evaluation.sweeps.sweep")

    def table_alone(directory, cells, varied, reasons, say):
        table = runs_table(directory, cells, varied, reasons, say)
        module._write_csv(table, directory.table_path)
        return table, None

    monkeypatch.setattr("evaluation.sweeps.table.measure", lambda *_: pd.DataFrame(columns=COLUMNS))
    monkeypatch.setattr(module, "compare", table_alone)


def sweep(path, *arguments):
    return main(["sweep", "--out", str(path), *map(str, arguments)])


def calls(path):
    with Transcript(path / "transcript.sqlite") as transcript:
        return list(transcript.calls())


def content(path):
    """Return the content of every file below a directory."""
    return {file.relative_to(path): file.read_bytes() for file in path.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Run a sweep without interruption, and two of its runs by themselves; return their folder."""
    path = tmp_path_factory.mktemp("sweeps")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_report, "write_report", no_figures)
        assert sweep(path / "whole", *TWO) == 0
        for name in ALONE:
            architecture, _, seed = name.partition("-scripted-seed")
            alone = ("--architecture", architecture, "--seed", seed, "--out", str(path / name))
            assert main(["run", "--model", "scripted", "--steps", "3", *alone]) == 0
    return path


def test_every_combination_is_run_once_and_as_it_would_be_alone(whole):
    directory = SweepDirectory(whole / "whole")
    assert {path.name for path in directory.runs_path.iterdir()} == set(NAMES)
    for name in ALONE:
        for file in SAME:
            assert (directory.runs_path / name / file).read_bytes() == (whole / name / file).read_bytes()
        assert calls(directory.runs_path / name) == calls(whole / name)
        manifest = RunDirectory(directory.runs_path / name).read_manifest()
        assert manifest["configuration"]["given"]["sweep"]["seed"] == [0, 1]
        effective = RunDirectory(whole / name).read_manifest()["configuration"]["effective"]
        assert manifest["configuration"]["effective"] == effective


def test_the_table_has_one_row_a_run_with_settings_costs_and_measures(whole):
    table = pd.read_csv(SweepDirectory(whole / "whole").table_path)
    assert list(table["run"]) == list(NAMES)
    assert list(table["group"]) == list(table["architecture"]) == ["itcma", "itcma-s"] * 2
    assert list(table["seed"]) == [0, 0, 1, 1]
    assert (table["status"] == "finished").all()
    assert (table[["steps", "steps_done", "decisions"]] == [3, 3, 18]).all(axis=None)
    for _, row in table.iterrows():
        usage = calls(whole / "whole" / "runs" / row["run"])
        assert row["calls"] == len(usage)
        assert row["prompt_tokens"] == sum(call.usage.prompt_tokens for call in usage)
    assert table["places"].between(1, 9).all()
    assert table["gini"].notna().tolist() == [False, True, False, True]


def test_what_is_finished_is_not_run_again_and_a_sweep_can_grow(tmp_path, monkeypatch, capsys, uncompared):
    file = tmp_path / "study.toml"
    file.write_text('model.name = "scripted"\nsteps = 1\nseed = [0]\narchitecture = ["itcma", "driver"]\n')
    assert sweep(tmp_path / "out", file) == 0
    before = content(tmp_path / "out" / "runs")
    with monkeypatch.context() as patch:
        patch.setattr(RunExecution, "__init__", lambda *_: pytest.fail("a finished run was begun again"))
        assert sweep(tmp_path / "out", file) == 0
    file.write_text(file.read_text().replace("[0]", '["0-1"]'))
    capsys.readouterr()
    assert sweep(tmp_path / "out", file, "--dry-run", "--json") == 0
    states = json.loads(capsys.readouterr().out)
    assert list(states.values()) == ["finished", "finished", "missing", "missing"]
    assert sweep(tmp_path / "out", file) == 0
    after = content(tmp_path / "out" / "runs")
    assert {path: after[path] for path in before} == before
    assert len(after) == 2 * len(before)


def test_maps_and_numbers_of_residents_are_factors(tmp_path, capsys, uncompared):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.json").write_bytes(map_bytes(load_map("towns:3" if folder == "one" else "drawn:1")))
    maps = f"world.map={tmp_path}/one/mine.json,{tmp_path}/two/mine.json"
    asked = (*SMALL, "--set", maps, "--set", "world.residents=2,3")
    assert sweep(tmp_path / "out", *asked, "--json") == 0
    directory = SweepDirectory(tmp_path / "out")
    table = pd.read_csv(directory.table_path)
    assert table["group"].nunique() == 4
    assert set(table["world.residents"]) == {2, 3}
    lived = {run.name: RunDirectory(run) for run in directory.runs_path.iterdir()}
    assert {(one.read_map().name, len(one.records())) for one in lived.values()} == {
        (name, count) for name in ("1 town of 3", "drawn valley") for count in (2, 3)
    }
    (tmp_path / "one" / "mine.json").write_bytes(map_bytes(load_map("drawn:2")))
    capsys.readouterr()
    assert sweep(tmp_path / "out", *asked) == 2
    assert "has another map than" in capsys.readouterr().err
    assert sweep(tmp_path / "none", *SMALL, "--set", "world.map=nowhere,towns:3") == 2
    assert sweep(tmp_path / "none", *SMALL, "--set", "world.residents=6,7") == 2
    said = capsys.readouterr().err.splitlines()
    assert [("unknown map 'nowhere'" in one, "at most 6" in one) for one in said] == [(True, False), (False, True)]


def test_a_cell_that_fails_is_recorded_and_stops_no_other_and_is_tried_again(
    tmp_path, capsys, monkeypatch, whole, request
):
    act, out = ItcmaResident.act, tmp_path / "out"

    async def broken(self, observation):
        if observation.time == 2 and self.name == "MD" and self.mechanisms.elimination:
            raise ZeroDivisionError("a <script>defect</script>")
        return await act(self, observation)

    prices = tmp_path / "prices.toml"
    prices.write_text("[models.scripted]\nprompt = 1000\ngenerated = 1000\n")
    monkeypatch.setattr(ItcmaResident, "act", broken)
    assert sweep(out, *TWO, "--prices", prices) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"irollan: 2 of 4 runs are finished; the first that is not: {NAMES[1]}: ResidentError: ")
    table = pd.read_csv(out / "runs.csv").set_index("run")
    assert [table.loc[name, "status"] for name in NAMES] == ["finished", "failed", "finished", "failed"]
    assert "ZeroDivisionError" in table.loc[NAMES[1], "reason"]
    assert table.loc[NAMES[1], "steps_done"] == 2
    assert pd.isna(table.loc[NAMES[1], "places"])
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "a &lt;script&gt;defect" in page
    assert "<script" not in page

    monkeypatch.setattr(ItcmaResident, "act", act)
    request.getfixturevalue("uncompared")
    assert sweep(out, *TWO) == 0
    # Dollars include calls discarded by a resume; calls and tokens do not.
    table = pd.read_csv(out / "runs.csv").set_index("run")
    for name in NAMES:
        with Transcript(out / "runs" / name / "transcript.sqlite") as transcript:
            stayed, lost = transcript.costs.total(), sum(row.tokens for row in transcript.costs.rewound())
        assert (lost > 0) == (name in (NAMES[1], NAMES[3]))
        assert table.loc[name, "dollars"] == pytest.approx((stayed.tokens + lost) / 1000)
        assert table.loc[name, "prompt_tokens"] + table.loc[name, "generated_tokens"] == stayed.tokens
        assert (out / "runs" / name / "events.jsonl").read_bytes() == events_of(whole, name)
    assert pd.read_csv(out / "runs.csv")["reason"].isna().all()


def test_a_model_that_cannot_be_had_fails_its_runs_alone(tmp_path, capsys, uncompared):
    model = tmp_path / "no-model.gguf"
    model.write_bytes(b"no such thing")
    models = ("--set", f"model.name={model},scripted", "--set", "steps=1", "--set", "model.embedder=hash")
    assert sweep(tmp_path / "out", *models) == 1
    assert "is no GGUF file" in capsys.readouterr().err.splitlines()[-1]
    table = pd.read_csv(tmp_path / "out" / "runs.csv").set_index("run")
    assert dict(table["status"]) == {"itcma-s-no-model-seed0": "failed", "itcma-s-scripted-seed0": "finished"}
    assert "is no GGUF file" in table.loc["itcma-s-no-model-seed0", "reason"]


def test_runs_that_share_a_model_go_on_at_once(tmp_path, monkeypatch, uncompared):
    taken = []
    monkeypatch.setattr(SweepProgress, "at", lambda self, name, done, steps: taken.append(name))
    assert sweep(tmp_path / "two", *QUICK, "--set", "seed=0-1", "--at-once", 2) == 0
    first = taken.index(taken[0]), len(taken) - taken[::-1].index(taken[0])
    assert len(set(taken[first[0] : first[1]])) == 2
    taken.clear()
    assert sweep(tmp_path / "one", *QUICK, "--set", "seed=0-1", "--at-once", 1) == 0
    assert taken == sorted(taken)
    for seed in range(2):
        events = [tmp_path / side / "runs" / f"itcma-s-scripted-seed{seed}" / "events.jsonl" for side in ("one", "two")]
        assert events[0].read_bytes() == events[1].read_bytes()


def test_societies_that_share_an_address_ask_it_together_up_to_its_limit(tmp_path, server, uncompared):
    """No resident gets its text before as many texts are under way as the address allows, which takes both societies.

    Each resident waits for one text at a time: were one society asked after the other, it would never be answered.
    """
    model, well = f"openai:{server.url}#qwen", lambda path, body: chat(answer(body))
    server.answers, texts = [well], {}
    for seed in (0, 1):
        alone = ("--embedder", "hash", "--steps", "1", "--seed", str(seed), "--out", str(tmp_path / str(seed)))
        assert main(["run", "--model", model, "--deliberation", "similarity", *alone]) == 0
        written = {call.request.prompt for call in calls(tmp_path / str(seed)) if call.caller.module == "writing"}
        asked = [body for _, _, body in server.requests if body["messages"][-1]["content"] in written]
        server.requests.clear()
        texts |= {json.dumps(body): seed for body in asked}
    assert Counter(texts.values()) == {0: 6, 1: 6}
    under_way, together = [], threading.Event()

    def held(path, body):
        if (seed := texts.get(json.dumps(body))) is not None and not together.is_set():
            under_way.append(seed)
            if len(under_way) == CONCURRENCY:
                together.set()
            together.wait(10)
        return well(path, body)

    server.answers = [held]
    settings = ("--set", f"model.name={model}", "--set", "model.embedder=hash", "--set", "steps=1", "--set", "seed=0-1")
    assert sweep(tmp_path / "both", *settings, "--set", "mind.deliberation=similarity") == 0
    assert together.is_set(), f"{len(under_way)} texts were under way"
    assert len(under_way) == CONCURRENCY
    assert set(under_way) == {0, 1}
    for seed in (0, 1):
        events = tmp_path / "both" / "runs" / f"itcma-s-qwen-seed{seed}" / "events.jsonl"
        assert events.read_bytes() == (tmp_path / str(seed) / "events.jsonl").read_bytes()


def test_a_limit_ends_each_run_with_its_reason_and_a_larger_one_goes_on(tmp_path, capsys, whole, uncompared):
    one = (*QUICK, "--set", "architecture=itcma-s", "--set", "seed=0-1")
    assert sweep(tmp_path, *one, "--max-tokens", 1) == 1
    assert "tokens" in capsys.readouterr().err.splitlines()[-1]
    table = pd.read_csv(tmp_path / "runs.csv")
    assert set(table["status"]) == {"stopped"}
    assert sweep(tmp_path, *one, "--max-tokens", 10_000_000) == 0
    for name in NAMES[1::2]:
        assert (tmp_path / "runs" / name / "events.jsonl").read_bytes() == events_of(whole, name)


def test_json_says_where_everything_is(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        "language_models.scripted.ScriptedModel", partial(ScriptedModel, fail_on=lambda caller, _: caller.time == 1)
    )
    assert sweep(tmp_path, *QUICK, "--json") == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "failed"
    assert answer["runs"] == {"failed": 1}
    assert answer["report"] is None
    assert "planted failure" in answer["reasons"]["itcma-s-scripted-seed0"]


def events_of(whole, name):
    return (whole / "whole" / "runs" / name / "events.jsonl").read_bytes()


def run_in_a_process(path):
    run_report.write_report = no_figures
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    raise SystemExit(sweep(path, *TWO))


context = multiprocessing.get_context("forkserver")
context.set_forkserver_preload(["evaluation.commands.cli", "evaluation.sweeps"])


# The process that is killed imports everything anew.
@pytest.mark.slow
def test_a_killed_sweep_ends_as_if_it_had_not_been_killed(tmp_path, whole, uncompared):
    process = context.Process(target=run_in_a_process, args=(tmp_path,))
    process.start()
    while process.is_alive():
        if sum(file.read_bytes().count(b"\n") for file in tmp_path.glob("runs/*/events.jsonl")) >= 20:
            break
        time.sleep(0.001)
    process.kill()
    process.join()
    assert sweep(tmp_path, *TWO) == 0
    for name in NAMES:
        for file in SAME:
            there = whole / "whole" / "runs" / name
            assert (tmp_path / "runs" / name / file).read_bytes() == (there / file).read_bytes()
        assert calls(tmp_path / "runs" / name) == calls(there)


def test_one_process_at_a_time(tmp_path, capsys):
    declaration = read_declaration(None, ["model.name=scripted", "steps=1"])
    with SweepDirectory(tmp_path).open(declaration.to_json(), declaration.cells()):
        assert sweep(tmp_path, *SMALL) == 2
    assert f"another process is at the sweep {tmp_path}" in capsys.readouterr().err


@pytest.mark.parametrize("name", [".lock", "runs", f"runs/{NAMES[1]}"])
def test_nothing_is_written_through_a_link_in_the_folder_of_a_sweep(tmp_path, capsys, name):
    outside, out = tmp_path / "outside", tmp_path / "sweep"
    outside.mkdir()
    (out / name).parent.mkdir(parents=True)
    if name != "runs":
        (out / "runs").mkdir(exist_ok=True)
    (out / "sweep.json").write_text('{"cells": {}}')
    (out / name).symlink_to(outside)
    assert sweep(out, *SMALL) == 2
    assert "is a link, through which nothing is written" in capsys.readouterr().err
    assert list(outside.iterdir()) == []


def test_progress_says_what_is_done_and_how_long_the_rest_takes(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("evaluation.sweeps.sweep_progress.time.monotonic", lambda: now[0])
    stream = io.StringIO()
    progress = SweepProgress(LineDisplay(stream))
    progress.begin({"a": 10, "b": 10}, {"a": 5, "b": 0}, finished=1)
    now[0] = 30.0
    progress.at("a", 8, 10)
    progress.ended("b", "it broke")
    assert stream.getvalue().splitlines() == [
        "1 of 3 runs, step 5/20, 0:00 elapsed, time left not known yet",
        "1 of 3 runs, step 8/20, 0:30 elapsed, 2:00 left: a 8/10",
        "b is not finished: it broke",
        "1 of 3 runs, 1 not finished, step 8/20, 0:30 elapsed, 2:00 left: a 8/10",
    ]


def changed(mechanism):
    """As ``irollan bench mechanisms --json`` prints it: 9 of 90 actions, and 20 of 50 goals of the driver."""
    removed = {"actions": {"count": 9, "of": 90}, "goals": {"count": 20 * (mechanism.name == "driver")}}
    return {"mechanism": mechanism.name, "formed": 50, "removed": removed}


def test_the_page_of_the_replication_is_made_from_the_tables(whole, tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- made by studies/replication.py -->\nold\n<!-- end -->\nafter\n")
    runs = sorted(map(str, (whole / "whole" / "runs").iterdir()))
    judged = ["--model", "scripted", "--draws", "1", "--out", str(tmp_path / "judged")]
    assert main(["judge", *runs, *judged]) == 0
    behind = tmp_path / "mechanisms.json"
    behind.write_text(json.dumps([{"architecture": "itcma-s", "mechanisms": list(map(changed, MECHANISMS))}]))
    places = ["--page", str(page), "--mechanisms", str(behind), "--judged", str(tmp_path / "judged")]
    places += ["--keep", str(tmp_path / "kept")]
    monkeypatch.setattr("sys.argv", ["replication.py", str(whole / "whole"), *places])
    runpy.run_module("studies.replication", run_name="__main__")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- made by")
    assert text.endswith("<!-- end -->\nafter\n")
    assert "old" not in text
    assert "4 of 4 runs finished: 2 architectures, 2 seeds, 3 time steps, model scripted" in text
    table = pd.read_csv(whole / "whole" / "runs.csv")
    assert set(table["mind.elimination"]) == {"embedder"}
    assert set(table["mind.protention"]) == {"model"}
    mean = table[table["architecture"] == "itcma-s"]["places"].mean()
    row = next(line for line in text.splitlines() if "`places`" in line)
    assert f"| {mean:.2f} |" in row
    assert set(json.loads((tmp_path / "kept" / "manifests.json").read_bytes())) == {n for n in NAMES if "seed0" in n}
    row = next(line for line in text.splitlines() if line.startswith("| the driver rises"))
    assert row.endswith("| in `itcma-s`: driver 10.0 % (goals 40 %) |")
    # The words of a scripted writer tell nothing of the mind.
    assert "`distinct_bigrams`" not in text
    ratings = pd.read_csv(tmp_path / "kept" / "judged.csv")
    assert set(ratings["source"]) == {"judge"}
    mean = ratings.query("architecture == 'itcma' and dimension == 'exploration'")["rating"].mean()
    row = next(line for line in text.splitlines() if line.startswith("| exploration | judge |"))
    assert row.startswith(f"| exploration | judge | {mean:.2f} |")
    # What is kept has no logs, from which alone the tables can be made anew.
    monkeypatch.setattr("sys.argv", ["replication.py", str(tmp_path / "kept")])
    with pytest.raises(SystemExit, match="kept has no runs; the tables are made from the logs"):
        runpy.run_module("studies.replication", run_name="__main__")
