"""``python -m benchmarks``: lists the benchmarks, runs one, and says what was wrong."""

import subprocess
import sys

import pytest

from benchmarks.__main__ import BENCHMARKS, main


def test_without_a_name_it_lists_every_benchmark_and_loads_none():
    listing = "import sys, benchmarks.__main__ as command; command.main([]); print(*sys.modules, file=sys.stderr)"
    listed = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True)
    for name, (_, what) in BENCHMARKS.items():
        assert f"  {name} " in listed.stdout
        assert f"  {what}\n" in listed.stdout
    loaded = listed.stderr.split()
    assert [name for name in loaded if name.split(".")[0] == "benchmarks"] == ["benchmarks", "benchmarks.__main__"]
    assert not {"torch", "evaluation", "itcma_s"} & set(loaded)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_has_a_help_and_can_print_json(name, capsys):
    assert main([name, "--help"]) == 0
    assert "--json" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("exactnes", "did you mean 'exactness'?"),
        ("nothing", "no benchmark 'nothing'"),
        ("anova_null --rouds 1", "--rouds"),
        ("mind nowhere", "no run directory nowhere"),
        ("exactness --serving quick", "got 'quick'"),
        ("env --rounds 0", "rounds must be at least 1, got 0"),
        ("env --towns 20000", "20"),
        ("models --part replai", "got 'replai'; did you mean 'replay'?"),
        ("models --part kills --kills 0", "kills must be at least 1, got 0"),
        ("mind --part step", "got 'step'; did you mean 'steps'?"),
        ("mind --part steps --residents 1", "at least 2 residents"),
    ],
)
def test_wrong_usage_is_one_line(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments.split()) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert message in output.err
    assert output.err.splitlines()[-1].startswith("benchmarks: ")
