"""The page about the tasks: its player can be handed in as it says."""

import re

from project import DOCS

from evaluation.commands.cli import main

TEXT = (DOCS / "datasheet.md").read_text(encoding="utf-8")


def test_a_player_of_ones_own_is_handed_in(tmp_path, monkeypatch, capsys):
    (block,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "datasheet.md", "exec"), {"__name__": "datasheet"})
    command = re.search(r"`irollan (bench leaderboard \w+)` prints", TEXT)
    assert command is not None
    assert main(command[1].split()) == 0
    page = capsys.readouterr().out
    assert "- **mine**: The action that shares most words with the goal." in page
    assert re.search(r"^\| `fetch` \| test_unseen \| \d+% of 2 ", page, re.MULTILINE)
