"""The pages about the arena: their files can be read, and their tables have every name."""

import re
from dataclasses import fields

from project import DOCS

from evaluation.arena.declaration import Arena, read_arena
from evaluation.scenarios.outcomes import OUTCOMES
from evaluation.scenarios.scenario import read_scenario, scenarios

TEXT = (DOCS / "arena.md").read_text(encoding="utf-8")


def test_its_files_are_an_arena_and_a_scenario(tmp_path, monkeypatch):
    page = (DOCS / "minds.md").read_text(encoding="utf-8")
    (tmp_path / "wanderer.py").write_text(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1])
    monkeypatch.syspath_prepend(tmp_path)
    arena, scenario = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / "arena.toml").write_text(arena)
    (tmp_path / "mine.toml").write_text(scenario)
    assert list(read_arena(tmp_path / "arena.toml").seeds) == [0, 1, 2]
    assert read_scenario(tmp_path / "mine.toml").visitor == "SG"


def test_its_tables_have_every_name():
    told = set(re.findall(r"`([\w ]+)`", TEXT))
    assert {*scenarios(), *OUTCOMES} <= told
    assert {one.name for one in fields(Arena)} - {"run"} <= told


def test_results_have_a_row_for_each_mind_and_say_first_what_they_cannot_show(tmp_path):
    results = (DOCS / "arena_results.md").read_text(encoding="utf-8")
    for result in results.split("\n## Results ")[1:]:
        (tmp_path / "arena.toml").write_text(re.search(r"```toml\n(.*?)```", result, re.DOTALL)[1])
        arena = read_arena(tmp_path / "arena.toml")
        rows = re.findall(r"^\| `([\w-]+)` \| .*%", result, re.MULTILINE)
        assert rows == [*arena.minds, *arena.baselines] * len(arena.roles_of_minds)
        assert result.partition("\n\n")[2].startswith("They cannot show ")
