"""Default names of run directories."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from evaluation.runs.run_config import RunConfig


def default_directory(configuration: RunConfig) -> Path:
    """Choose a free directory name: runs/<architecture>-<model>-seed<seed>-<time>."""
    model = short_name(configuration.model.name)
    name = f"{configuration.architecture}-{model}-seed{configuration.seed}-{datetime.now():%Y%m%d-%H%M%S}"
    path, count = Path("runs") / name, 1
    while path.exists():
        count += 1
        path = Path("runs") / f"{name}-{count}"
    return path


def short_name(model: str) -> str:
    """Shorten the name of a model for the name of a directory."""
    last = model.rpartition("#")[2] if "#" in model else model
    return re.sub(r"[^A-Za-z0-9._]+", "-", Path(last).name.removesuffix(".gguf")).strip("-.")


def branch_directory(path: Path, at: int) -> Path:
    """Choose a free directory name for a branch, beside its parent: RUN-atN.

    Args:
        path: Of the parent.
        at: The time step of the branch.
    """
    return directory_beside(path, f"at{at}")


def directory_beside(path: Path, ending: str) -> Path:
    """Choose a free directory name beside a run: RUN-ENDING.

    Args:
        path: Of the run.
        ending: What is made of the run.
    """
    base = path.resolve()
    candidate, count = base.with_name(f"{base.name}-{ending}"), 1
    while candidate.exists():
        count += 1
        candidate = base.with_name(f"{base.name}-{ending}-{count}")
    return candidate
