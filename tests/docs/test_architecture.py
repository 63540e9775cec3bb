"""The page about the architecture: its picture, its paragraphs and its tables are those of the code."""

import re
import subprocess
import sys
from pathlib import Path

from project import DOCS, ROOT

from evaluation.commands.cli import main
from evaluation.records.records import read_jsonl

PACKAGES = ("irollan_env", "language_models", "itcma_s", "minds", "ltrha", "evaluation")
TEXT = (DOCS / "architecture.md").read_text(encoding="utf-8")


def section(heading: str) -> str:
    return TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_the_picture_is_current():
    done = subprocess.run(
        [sys.executable, DOCS / "draw_house.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_room_has_its_place_in_the_paragraphs():
    paragraphs = {
        package: next(part for part in section("The rooms").split("\n\n") if part.startswith(f"**{package}"))
        for package in PACKAGES
    }
    for package, paragraph in paragraphs.items():
        rooms = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
        told = set(re.findall(r"`(\w+)/`", paragraph))
        assert rooms <= told
        for name in re.findall(r"`([\w/]+(?:/|\.py))`", paragraph):
            assert any(path.match(name.rstrip("/")) for path in (ROOT / package).rglob("*")), name


def test_the_glossary_is_short():
    rows = [line for line in section("The project's own words").splitlines() if line.startswith("| ")]
    assert 10 < len(rows) <= 30


def test_every_key_of_a_record_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--model", "scripted", "--steps", "1", "--out", "run"]) == 0
    keys = TEXT.partition("### Record keys")[2]
    rows = [line.split("|")[1] for line in keys.splitlines() if line.startswith("| `")]
    assert set(read_jsonl(Path("run/events.jsonl"))[0]) == {key for row in rows for key in re.findall(r"`(\w+)`", row)}
