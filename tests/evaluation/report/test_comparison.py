"""Tests of the comparison of two runs."""

import json

import pytest
from made_up_runs import made_up_run
from synthetic_run import manifest, synthetic_run

from evaluation.commands.cli import main
from evaluation.report.comparison import compare, in_words, write_comparison


def directory(path, records, models=None, **settings):
    asked = {"configuration": {"effective": {"seed": 0, **settings}}, **({"models": models} if models else {})}
    return made_up_run(path, records, **{**manifest(), **asked})


@pytest.fixture
def records():
    return [dict(record) for record in synthetic_run(5)[0]]


def test_where_two_runs_part(tmp_path, records, capsys):
    first = directory(tmp_path / "a", records, world={"scenario": ""})
    records[14] = {**records[14], "thought": "<b>otherwise</b>"}
    records[20] = {**records[20], "action": "use sinkbasin 9", "outcome": "executed"}
    second = directory(tmp_path / "b", records, seed=7, world={"scenario": "hot_meal"})
    found = compare(first, second)
    assert (found.parting.time, found.parting.resident) == (2, records[14]["resident"])
    assert [key for key, _, _ in found.parting.values] == ["thought"]
    assert found.settings == (("seed", "0", "7"), ("world.scenario", "–", "hot_meal"))
    kinds = [kind for row in found.grid.values() for kind in row]
    assert (kinds.count("same"), kinds.count("alike"), kinds.count("other")) == (28, 1, 1)
    assert [(time, resident, there) for time, resident, _, there in found.deeds] == [
        (3, records[20]["resident"], "use sinkbasin 9")
    ]
    assert "differs in thought; 1 of 30 actions" in in_words(found)
    page = write_comparison(found, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;otherwise&lt;/b&gt;" in page
    assert "<b>otherwise" not in page

    assert main(["report", str(first.path), str(second.path)]) == 0
    assert capsys.readouterr().out.splitlines() == [in_words(found), str(second.path / "comparison.html")]
    assert main(["report", str(first.path), str(second.path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["parting"]["time"] == 2


def test_runs_of_different_length_and_which_model_and_adapter_each_has(tmp_path, records):
    plain = {"model": {"name": "smollm2", "sha256": {"w.gguf": "0" * 64}}}
    tuned = {"model": {"name": "smollm2", "sha256": {"w.gguf": "0" * 64, "adapter/<i>a.gguf": "cd" * 32}}}
    found = compare(directory(tmp_path / "a", records, plain), directory(tmp_path / "b", records[:12], tuned))
    assert (found.parting, found.steps) == (None, (5, 2))
    assert found.models == ({"Model": "smollm2"}, {"Model": "smollm2 with the adapter <i>a.gguf (cdcdcdcdcdcd)"})
    page = write_comparison(found, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<br>Model: smollm2 with the adapter &lt;i&gt;a.gguf (cdcdcdcdcdcd)</p>" in page
    assert "<i>a" not in page


def test_a_run_is_not_compared_with_itself_and_no_page_is_written_into_a_third(tmp_path, records, capsys):
    first, second, third = (directory(tmp_path / name, records) for name in "abc")
    inside = str(third.path / "pages")
    for arguments, message in (
        ([first.path, tmp_path / "b" / ".." / "a"], "are the same run; give two"),
        ([first.path, second.path, "--out", inside], f"{inside} lies within the run {third.path}"),
        ([first.path, "--out", str(third.path)], f"{third.path} holds another run"),
    ):
        before = sorted(tmp_path.rglob("*"))
        assert main(["report", *map(str, arguments)]) == 2
        assert message in capsys.readouterr().err
        assert sorted(tmp_path.rglob("*")) == before
    assert main(["report", str(first.path), str(second.path), "--out", str(first.path / "pages")]) == 0
    assert main(["run", "--model", "scripted", "--steps", "1", "--out", inside]) == 2
    assert "lies within the run" in capsys.readouterr().err


def test_what_cannot_be_compared(tmp_path, records, capsys):
    first = directory(tmp_path / "a", records)
    assert main(["report", str(first.path), str(directory(tmp_path / "b", []).path)]) == 2
    assert "has no time step to compare yet" in capsys.readouterr().err
    elsewhere = directory(tmp_path / "d", [{**one, "resident": f"{one['resident']} Berg"} for one in records])
    assert main(["report", str(first.path), str(elsewhere.path)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "nobody lives in both runs" in said
    assert main(["report", str(first.path), str(tmp_path / "c")]) == 2
    assert "there is no run directory" in capsys.readouterr().err
