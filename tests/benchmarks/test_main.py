"""``python -m benchmarks``: lists the benchmarks, runs one, and says what was wrong."""

import re
import subprocess
import sys
from importlib import import_module

import pytest
from project import ROOT

from benchmarks.__main__ import BENCHMARKS, main

NEED_TORCH = {"protention"}


def test_without_a_name_it_lists_every_benchmark_with_a_line(capsys):
    assert main([]) == 0
    said = capsys.readouterr().out
    for name, (_, what) in BENCHMARKS.items():
        assert f"  {name} " in said
        assert f"  {what}\n" in said


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_has_a_help_and_can_print_json(name, capsys):
    if name in NEED_TORCH:
        pytest.importorskip("torch")
    assert callable(import_module(f"benchmarks.{BENCHMARKS[name][0]}.{name}").command)
    assert main([name, "--help"]) == 0
    assert "--json" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("protentoin", "no benchmark 'protentoin'; did you mean 'protention'? python -m benchmarks lists them all"),
        ("nothing", "no benchmark 'nothing'; python -m benchmarks lists them all"),
        ("hostile --rouds 1", "No such option: --rouds"),
        ("mind nowhere", "there is no run directory nowhere; give one that irollan run has made"),
        ("speech nowhere", "there is no run directory nowhere; give one that irollan run has made"),
        (
            "choices --way chose",
            "way must be one of choose, grammar, log-probabilities, similarity, resident, led",
        ),
        ("decisions --set 5", "set must be one of 1, 2, 3, 4, got '5'"),
    ],
)
def test_wrong_usage_is_one_line(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments.split()) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"benchmarks: {message}")
    assert output.err.count("\n") == 1


def test_to_list_them_loads_none_of_them():
    listing = "import sys, benchmarks.__main__ as command; command.main([]); print(*sys.modules, file=sys.stderr)"
    loaded = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True).stderr.split()
    assert [name for name in loaded if name.split(".")[0] == "benchmarks"] == ["benchmarks", "benchmarks.__main__"]
    assert not {"torch", "evaluation", "itcma_s"} & set(loaded)


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda page: page.name
)
def test_benchmarks_and_options_that_a_page_names_are_there(page, capsys):
    for named in re.findall(r"`python -m benchmarks (\w+)([^`]*)`", page.read_text(encoding="utf-8")):
        name, options = named[0], re.findall(r"--[a-z-]+", named[1])
        assert name in BENCHMARKS or name == "NAME"
        if name in NEED_TORCH:
            pytest.importorskip("torch")
        assert main([name, "--help"] if name in BENCHMARKS else ["--help"]) == 0
        said = capsys.readouterr().out
        assert all(f"{option} " in said for option in options), f"{name} lacks some of {options}"
