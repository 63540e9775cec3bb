import csv
import io
import json
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from evaluation.commands.cli import main
from evaluation.commands.measures import _mean, _society
from evaluation.measures import MEASURES
from evaluation.records.run_directory import RunDirectory
from evaluation.social.hypotheses import HYPOTHESES


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = tmp_path_factory.mktemp("measured") / "run"
    assert main(["run", "--model", "scripted", "--steps", "6", "--out", str(path)]) == 0
    return path


def test_measures_in_words_as_csv_and_as_json(run, capsys):
    assert main(["measures", str(run)]) == 0
    text = capsys.readouterr().out
    society = [name for name, one in MEASURES.items() if one.level != "place"]
    assert all(f"  {name} " in text for name in society)
    assert main(["measures", str(run), str(run), "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert main(["measures", str(run), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert len(rows) == 2 * len(listed)
    assert set(rows[0]) == set(listed[0])
    assert {row["measure"] for row in listed} == set(MEASURES)
    assert {row["embedder"] for row in listed} == {"hash"}
    for row, one in zip(rows, listed, strict=False):
        assert row["value"] == "" if one["value"] is None else float(row["value"]) == pytest.approx(one["value"])


def test_no_cell_of_the_table_is_a_formula(run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(run, "=1+1")
    assert main(["measures", "=1+1", "--csv"]) == 0
    assert {row["run"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))} == {"'=1+1"}


def test_social_in_words_and_as_json(run, capsys):
    assert main(["social", str(run), "--permutations", "50"]) == 0
    text = capsys.readouterr().out
    assert "needs --permutations" in text
    assert all(f"\n{name} " in text for name in HYPOTHESES)
    assert main(["social", str(run), "--permutations", "50", "--seed", "3", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [test["test"] for test in answer["tests"]] == list(HYPOTHESES)
    assert answer["seed"] == 3
    assert len(answer["matrix"]["data"]) == 6
    assert answer["conclusions"][0] in text or answer["leader"] is not None


def test_a_run_that_is_cut_off_is_measured_and_named(run, tmp_path, capsys, with_report):
    broken = tmp_path / "broken"
    shutil.copytree(run, broken)
    directory = RunDirectory(broken)
    directory.write_manifest({**directory.read_manifest(), "status": "running", "steps_done": 0})  # It was killed.
    for name in ("events.jsonl", "checksums.jsonl"):
        (broken / name).write_bytes((broken / name).read_bytes()[:-40])
    assert main(["measures", str(broken)]) == 0
    errors = capsys.readouterr().err
    assert "bytes of events.jsonl are of a time step that is not whole, and left out" in errors
    assert main(["social", str(broken), "--permutations", "20"]) == 0
    assert main(["report", str(broken)]) == 0
    assert (broken / "figures" / "network.png").is_file()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["measures", "nowhere"], 2, "there is no run directory nowhere"),
        (["measures"], 2, "missing argument"),
        (["measures", "RUN", "--csv", "--json"], 2, "give one of --csv and --json"),
        (["measures", "RUN", "--embedder", "nonsense"], 2, "nonsense"),
        (["social", "RUN", "--permutations", "0"], 2, "permutations"),
        (["social", "nowhere"], 2, "there is no run directory nowhere"),
    ],
)
def test_wrong_usage_is_one_line(run, arguments, status, message, capsys):
    assert main([str(run) if one == "RUN" else one for one in arguments]) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_help_does_not_wait_for_what_only_measures_need():
    slow = "pandas", "networkx", "scipy", "matplotlib", "statsmodels", "pingouin"
    program = f"import sys, evaluation.commands.cli; print([name for name in {slow} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_of_several_runs_the_mean_stands_with_its_interval():
    one, many = MEASURES["went_hungry"], pd.Series([0.2, 0.4, 0.6])
    # t(0.975, 2) = 4.303, standard error 0.1155: 0.4 -+ 0.497, cut at 0.
    assert _mean(many, one) == "0.40 [0.00, 0.90]"
    assert _mean(many[:1], one) == "–"
    cells = [("livelihood", "went_hungry", "society", "", value) for value in many]
    table = pd.DataFrame(cells, columns=["dimension", "measure", "level", "subject", "value"])
    printed = _society(table.assign(run=["a", "b", "c"]), 3)
    assert "0.20      0.40      0.60" in printed
    assert "0.40 [0.00, 0.90]" in printed
    lengthy = pd.concat([table.assign(run=[f"{n}a", f"{n}b", f"{n}c"]) for n in range(3)])
    assert "0.20      0.40" not in _society(lengthy, 9)
