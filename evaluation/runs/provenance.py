"""Versions of the code and the packages with which a run was made."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from irollan_env.world.world_classes import changed_world_classes

PACKAGES = (
    "irollan-valley",
    "numpy",
    "gymnasium",
    "pettingzoo",
    "torch",
    "transformers",
    "xllamacpp",
    "aiohttp",
    "matplotlib",
    "pandas",
    "scipy",
    "networkx",
)


def versions() -> dict[str, str | None]:
    """Return the versions of Python and of the packages a run depends on; None where not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = None
    return found


def differences(manifest: Mapping[str, Any]) -> list[str]:
    """List the versions and files that differ from those at the run's start, code first, one sentence each.

    Args:
        manifest: Of the run.
    """
    found = []
    if (revision := git_revision()) != (before := manifest.get("git_revision")):
        found.append(f"the code is at revision {revision} now and was at {before} when the run started")
    known = manifest.get("versions", {})
    found += [
        f"{package} is {version} now and was {known.get(package)} when the run started"
        for package, version in versions().items()
        if version != known.get(package)
    ]
    return found + changed_world_classes(manifest.get("world_classes", {}))


@cache
def git_revision() -> str | None:
    """Return the commit of the checkout and whether it has changes; None outside a checkout."""
    root = Path(__file__).resolve().parents[2]

    def git(*arguments: str) -> str | None:
        try:
            done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        return done.stdout.strip()

    # An installed copy may lie within somebody else's repository.
    top = git("rev-parse", "--show-toplevel")
    revision = git("rev-parse", "HEAD") if top is not None and Path(top).resolve() == root else None
    if revision is None:
        return None
    return f"{revision} with local changes" if git("status", "--porcelain") else revision
