"""Packages that only some models need, and which command installs them."""

from __future__ import annotations

from importlib.util import find_spec

COMMAND = "python -m pip install 'irollan-valley[society]'"


def missing_package(*packages: str) -> str:
    """The first of these packages that is not installed; empty where all are. None is imported."""
    return next((package for package in packages if find_spec(package) is None), "")


def check_installed(what: str, *packages: str) -> None:
    """Check that packages are installed, without importing them.

    Args:
        what: Who needs them, for the error.
        packages: By the names under which they are imported.

    Raises:
        ModuleNotFoundError: if one is not; the message names the command that installs it.
    """
    if package := missing_package(*packages):
        raise ModuleNotFoundError(needs(what, package), name=package)


def needs(what: str, package: str) -> str:
    """What to say where a package is not installed."""
    return f"{what} needs the package {package}, which is not installed; install it with: {COMMAND}"
