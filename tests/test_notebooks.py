"""The notebooks run from top to bottom in their quick form, and what they show was made by running them whole.

The code of a notebook runs in this process: a kernel for each would take most of the time. `make notebooks` uses one.
"""

import importlib.util
import json
import shutil

import matplotlib.pyplot as plt
import pytest
from configs import run_config
from project import ROOT

FOLDER = ROOT / "notebooks"
NAMES = ("01_first_look", "02_gymnasium", "03_ablation", "04_ratings", "05_social_structure")
NOTEBOOKS = [FOLDER / f"{name}.ipynb" for name in NAMES]
SLOW = ("02_gymnasium", "03_ablation")
NEEDED = {"02_gymnasium": "sb3_contrib"}
specification = importlib.util.spec_from_file_location("execute", FOLDER / "execute.py")
execute = importlib.util.module_from_spec(specification)
specification.loader.exec_module(execute)


def name_of(path):
    return path.stem


def cells(path, kind):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


@pytest.mark.parametrize(
    "path",
    # A sweep, and a policy that is trained.
    [pytest.param(path, marks=pytest.mark.slow) if path.stem in SLOW else path for path in NOTEBOOKS],
    ids=name_of,
)
def test_it_runs(path, monkeypatch, capsys):
    if path.stem in NEEDED:
        pytest.importorskip(NEEDED[path.stem])
    monkeypatch.chdir(FOLDER)
    monkeypatch.setattr(plt, "show", lambda: None)
    plt.switch_backend("Agg")
    variables = {}
    for number, cell in enumerate(cells(path, "code"), 1):
        lines = [line for line in "".join(cell["source"]).split("\n") if not line.startswith("%")]
        exec(compile(execute.quick("\n".join(lines)), f"{path.name}, code cell {number}", "exec"), variables)
    plt.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_what_it_shows_is_of_one_run_from_top_to_bottom(path):
    code = cells(path, "code")
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert len(outputs) >= 3
    kinds = {output["output_type"] for output in outputs}
    assert kinds <= {"execute_result", "display_data", "stream"}
    assert not [output for output in outputs if output.get("name") == "stderr"]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    text = path.read_text(encoding="utf-8")
    assert "/home/" not in text
    assert "/tmp/" not in text


def test_what_is_shipped_is_a_whole_run():
    from evaluation.measures import read_run

    run = read_run(FOLDER / "valley")
    assert run.notes == ()
    assert run.manifest["steps_done"] == 20


@pytest.mark.slow
def test_what_is_shipped_is_a_run_of_the_code_as_it_is_now(tmp_path, capsys):
    """If this fails, replace it by `irollan run --steps 20` of now, without checkpoints, figures and pages."""
    from evaluation.commands.cli import main

    pytest.importorskip("transformers")
    copy = shutil.copytree(FOLDER / "valley", tmp_path / "valley")
    assert main(["replay", str(copy)]) == 0
    assert "identical: 20 steps" in capsys.readouterr().out


def test_the_quick_form():
    assert execute.quick("steps = 6_000  # quick: 64\nother = 3  # three") == "steps = 64\nother = 3  # three"


@pytest.mark.usefixtures("no_figures")
def test_a_society_in_memory_lives_as_one_that_is_written(tmp_path):
    import evaluation
    from evaluation.commands.cli import main
    from evaluation.records.run_directory import RunDirectory

    assert main(["run", "--model", "scripted", "--steps", "2", "--seed", "3", "--out", str(tmp_path / "run")]) == 0
    run = evaluation.run(run_config(model="scripted", steps=2, seed=3))
    recorded = RunDirectory(tmp_path / "run").records()
    # Only a run that keeps a transcript has calls to point to.
    lived = json.loads(json.dumps(run.records))
    assert [{**one, "calls": []} for one in lived] == [{**one, "calls": []} for one in recorded]
