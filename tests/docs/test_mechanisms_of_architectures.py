"""The table of mechanisms.md over all five architectures is that of the study's results."""

import json
import re

from project import ROOT


def test_the_table_is_what_the_study_found():
    groups = json.loads((ROOT / "studies" / "results" / "mechanisms.json").read_bytes())
    page = (ROOT / "docs" / "mechanisms.md").read_text(encoding="utf-8")
    header, _, *lines = page[page.index("| taken away | `itcma`") :].splitlines()
    assert re.findall(r"`([\w-]+)`", header) == [group["architecture"] for group in groups]
    table = {line.split(" | ")[0].removeprefix("| "): line for line in lines[: lines.index("")]}
    assert len(table) == 11
    for name, line in table.items():
        cells = []
        for group in groups:
            row = next(one for one in group["mechanisms"] if one["mechanism"] == name)
            actions = row["removed"]["actions"]
            share = 100 * actions["count"] / actions["of"] if row["gives"] else None
            assert share is None or share >= 5
            cells.append("–" if share is None else f"{share:.1f}")
        assert line == f"| {name} | {' | '.join(cells)} |"
