"""The examples of docs/python.md run as they stand, in at most ten lines each, and import from the roots alone."""

import ast
import re

import matplotlib.pyplot as plt
import pytest
from project import DOCS

ROOTS = {"irollan_env", "language_models", "itcma_s", "ltrha", "minds", "evaluation"}
PAGE = (DOCS / "python.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"^## ([^\n]+)\n.*?^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
CHECKS = {
    "One agent in the Gymnasium loop": lambda found: found["info"]["time"] == 5,
    "Six agents under LTRHA in a PettingZoo loop": lambda found: sum(found["env"].framework.resources.values()) == 6.0,
    "One equation by itself": lambda found: sum(found["gains"]) == pytest.approx(0.0),
    "Run, read and branch": lambda found: len(found["again"].events) == len(found["other"].events) == 24,
    "A society of your own, and its curves": lambda found: len(found["axes"].lines) >= 6,
    "An ablation": lambda found: list(found["found"].table["group"].unique()) == ["ablate=nothing", "ablate=driver"],
    "From ratings to an ANOVA": lambda found: len(found["ratings"]) == 24,
    "A model of your own": lambda found: found["Polite"].__bases__,
    "A mind of your own": lambda found: set(found["run"].events["outcome"]) <= {"executed", "inadmissible"},
}


def test_every_heading_has_an_example_that_is_checked():
    assert set(BLOCKS) == set(CHECKS)


@pytest.mark.usefixtures("no_figures")
@pytest.mark.parametrize("heading", CHECKS)
def test_it_runs_in_ten_lines_and_imports_from_the_roots(heading, tmp_path, monkeypatch):
    block = BLOCKS[heading]
    assert len([line for line in block.splitlines() if line.strip() and not line.startswith("import")]) <= 10
    modules = [
        alias.name for node in ast.walk(ast.parse(block)) if isinstance(node, ast.Import) for alias in node.names
    ]
    assert ROOTS & set(modules)
    assert not [name for name in modules if "." in name]
    monkeypatch.chdir(tmp_path)
    found = {}
    exec(compile(block, heading, "exec"), found)
    plt.close("all")
    assert CHECKS[heading](found)
