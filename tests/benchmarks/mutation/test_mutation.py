"""Runs over a file of two functions with tests of their own, in a process that has imported neither."""

import json
import subprocess
import sys

import pytest
from project import ROOT

# A dozen processes with pytest in each.
pytestmark = pytest.mark.slow

MODULE = """def plus(a, b):
    return a + b


def twice(a):
    return 2 * a
"""
NOTICED = "from mutated_here import plus, twice\n\ndef test_plus():\n    assert plus(2, 3) == 5\n"
ALL = NOTICED + "\ndef test_twice():\n    assert twice(3) == 6\n"
RUN = """
import sys
from benchmarks.mutation import mutation
mutation.TESTS = {"mutated_here.py": ("test_here.py",)}
mutation._HELPFUL = ()
sys.exit(mutation.command(out=mutation.Path("kept/results.jsonl"), minutes=float(sys.argv[1]), survived=True))
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mutated_here.py").write_text(MODULE)
    (tmp_path / "test_here.py").write_text(NOTICED)
    return tmp_path


def go(folder, minutes=5):
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(minutes)],
        cwd=folder,
        env={"PYTHONPATH": f"{ROOT}:{folder}"},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


def tried(said):
    return sum(line.startswith(("mutation: killed", "mutation: survived")) for line in said.splitlines())


def test_what_no_test_notices_survived_and_is_tried_again_once_the_tests_are_others(folder):
    status, out, err = go(folder)
    assert (status, tried(err)) == (1, 5)
    assert "| mutated_here.py | 5 | 5 | 3 | 60.0 % |" in out
    assert "mutated_here.py:6: 2 * a  ->  2 / a" in out
    assert tried(go(folder)[2]) == 0
    (folder / "test_here.py").write_text(ALL)
    status, out, err = go(folder)
    assert (status, tried(err)) == (0, 2)
    assert "| together | 5 | 5 | 5 | 100.0 % |" in out


def test_a_run_that_was_interrupted_goes_on_where_it_was(folder):
    assert go(folder, minutes=0)[:2] == (
        1,
        "| file | mutants | tried | killed | share killed |\n"
        "| --- | --- | --- | --- | --- |\n| mutated_here.py | 5 | 0 | 0 |  |\n| together | 5 | 0 | 0 |  |\n",
    )
    go(folder)
    kept = folder / "kept/results.jsonl"
    lines = kept.read_text().splitlines()
    kept.write_text("\n".join([*lines[:3], lines[3][:20]]) + "\n")
    assert tried(go(folder)[2]) == 2
    (folder / "mutated_here.py").write_text(MODULE.replace("2 * a", "a * 2"))
    assert tried(go(folder)[2]) == 5
    assert {json.loads(line)["file"] for line in lines} == {"mutated_here.py"}


def test_tests_that_fail_as_things_are_are_named(folder):
    (folder / "test_here.py").write_text(NOTICED.replace("5", "6"))
    status, _, err = go(folder)
    assert status == 1
    assert "the tests of mutated_here.py fail as it is; run python -m pytest test_here.py" in err
