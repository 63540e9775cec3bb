"""Draw pages of runs that a small model wrote, for somebody to write better turns: draw_turns.py RUN... --out DIR.

A model that learned from scenes meets pages in a run that no scene has: six people outside, acts held back one after
the other, its own mistakes. So pages of such runs are answered by hand, and learned from as well (Ross et al. 2011,
DAgger). Each page gets other names, drawn anew, since names are data; the folder gets files of so many pages each.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from draw_cards import draw_name

from itcma_s.deliberation.page.page import HEAD

_NAME = re.compile(r"\b[A-Z]{2,3}\b")
_ME = re.compile(r"root ::= \"([A-Z]{2,3}) ")
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
_NEITHER = {"OK", "TV"}
KEEP_NAMES = 0.3
"""Share of pages that keep the names of their run."""


def asked(run: Path) -> Iterator[tuple[str, list[str]]]:
    """Pages of a run, and how each may end: the deeds that were open, or the one line that was decided on.

    Args:
        run: A run's folder.
    """
    with sqlite3.connect(f"file:{run / 'transcript.sqlite'}?mode=ro", uri=True) as connection:
        rows = connection.execute(
            "SELECT text, request FROM calls JOIN prompts ON prompt = hash WHERE method = 'generate' ORDER BY calls.id"
        ).fetchall()
    for text, request in rows:
        pattern = json.loads(request).get("pattern") or ""
        if not text.startswith(HEAD) or _ME.match(pattern) is None:
            continue
        act = next((line for line in pattern.splitlines() if line.startswith("act ::= ")), None)
        if act is not None:
            yield text, [json.loads(literal).strip() for literal in _LITERAL.findall(act)]
        else:
            says = [json.loads(literal) for literal in _LITERAL.findall(pattern.splitlines()[0])]
            yield text, [one.strip().removesuffix('"').strip() for one in says if " says to " in one]


def renamed(text: str, names: dict[str, str]) -> str:
    """A text with other names."""
    return _NAME.sub(lambda found: names.get(found[0], found[0]), text)


def draw(runs: list[Path], count: int, r: random.Random) -> list[dict[str, object]]:
    """So many different pages, with other names."""
    pages = {page: ways for run in runs for page, ways in asked(run)}
    found: list[dict[str, object]] = []
    for page in r.sample(sorted(pages), min(count, len(pages))):
        ways = pages[page]
        people = sorted(set(_NAME.findall("\n".join([page, *ways]))) - _NEITHER)
        drawn = {name: name for name in people}
        if r.random() > KEEP_NAMES:
            drawn = {name: draw_name(r, new=False) for name in people}
            while len(set(drawn.values()) - _NEITHER) < len(people):
                drawn = {name: draw_name(r, new=False) for name in people}
        found.append({"page": renamed(page, drawn), "ways": [renamed(way, drawn) for way in ways]})
    return found


def main() -> None:
    """Write files of pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the files")
    parser.add_argument("--count", type=int, default=900, help="how many pages")
    parser.add_argument("--each", type=int, default=60, help="how many a file has")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    found = draw(options.runs, options.count, random.Random(options.seed))
    for first in range(0, len(found), options.each):
        number = options.first + first
        lines = [json.dumps({"id": number + row, **one}) for row, one in enumerate(found[first : first + options.each])]
        (options.out / f"{number:04}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
