"""``irollan map``: write a map, check it, look at it, and what it says of wrong ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evaluation
from evaluation.commands.cli import main


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "made",
    [
        "map new own.toml",
        "map new own.toml --from towns:3",
        "map draw own.toml --seed 4",
        "map draw own.toml --residents 3",
    ],
)
def test_what_is_written_is_right_and_can_be_seen(made: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(made.split()) == 0
    assert main(["map", "check", "own.toml"]) == 0
    assert "perceives first" in capsys.readouterr().out
    assert main(["map", "show", "own.toml", "--width", "200"]) == 0
    assert Path("own.png").stat().st_size > 1000
    assert main(made.split()) == 2
    assert "--force" in capsys.readouterr().err


def test_the_example_has_something_at_stake(capsys: pytest.CaptureFixture[str]) -> None:
    main(["map", "new", "own.toml"])
    run = "run --map own.toml --model scripted --deliberation llm --steps 2 --out run"
    assert main(run.split()) == 0
    asked = json.dumps(evaluation.load_run("run").calls.to_dict())
    assert "in two villages that share a well." in asked
    assert "you go out of it first" in asked
    assert main(["map", "check", "own.toml"]) == 0
    assert "trade" in capsys.readouterr().out


def test_residents_by_likeness_vote_in_the_example() -> None:
    main(["map", "new", "own.toml"])
    path = Path("own.toml")
    path.write_text(path.read_text().replace('home = "Ada\'s Home"', 'home = "Well House"'))
    Path("who.toml").write_text('[Ada]\ngoals = ["vote at the ballotbox 1"]\n')
    run = "run --map own.toml --identities who.toml --model scripted --steps 2 --out run"
    assert main(run.split()) == 0
    assert "You cast your ballot: " in Path("run/events.jsonl").read_text()


def test_keys_are_described(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["map", "keys"]) == 0
    assert main(["map", "keys", "votes"]) == 0
    told = capsys.readouterr().out
    assert "[[areas]]" in told
    assert "counted_at [needed]" in told


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = 3", "own.toml: "),
        ("", "own.toml: "),
        ("[mechanics.trade]\nmony = 'coin'", "own.toml: "),
    ],
)
def test_a_wrong_map_is_one_line(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("own.toml").write_text(text)
    assert main(["map", "check", "own.toml"]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


def test_wrong_settings_of_a_mechanic_name_file_and_key(capsys: pytest.CaptureFixture[str]) -> None:
    main(["map", "new", "own.toml"])
    path = Path("own.toml")
    path.write_text(path.read_text().replace("money = ", "mony = "))
    capsys.readouterr()
    assert main(["map", "check", "own.toml"]) == 2
    assert "own.toml: mechanics.trade.mony: unknown key 'mony'; did you mean 'money'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("map check hamlt", "unknown map 'hamlt'"),
        ("map show irollan_valley --out a.gif", ".png, .svg or .pdf"),
        ("map new nowhere/own.toml", "there is no folder nowhere"),
        ("map keys vots", "did you mean 'votes'?"),
        ("map draw own.toml --residents 20000", "10000"),
    ],
)
def test_wrong_use_is_one_line(command: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()) == 2
    assert message in capsys.readouterr().err
