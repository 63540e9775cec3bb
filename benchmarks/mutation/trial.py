"""Tests run against one mutant in a forked process, without writing the changed module."""

from __future__ import annotations

import ast
import os
import resource
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from math import ceil
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any


class _Changed(SourceFileLoader):
    """Loader of a module from a syntax tree instead of its file."""

    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        super().__init__(name, path)
        self._code = compile(tree, path, "exec")

    def get_code(self, fullname: str) -> CodeType:
        return self._code


class _Finder(MetaPathFinder):
    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        self._name, self._path, self._tree = name, path, tree

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        return spec_from_file_location(fullname, self._path, loader=_Changed(fullname, self._path, self._tree))


def module_of(file: str) -> str:
    """Return the module name of a file of this repository."""
    return file.removesuffix(".py").replace("/", ".")


def run_tests(tests: Sequence[str], file: str, tree: ast.Module, *, limit: float | None = None) -> tuple[bool, float]:
    """Run tests against a changed module.

    The tests run in a fork of this process, which has imported what they need except the module.

    Args:
        tests: Files of tests, in the order of running.
        file: The module's file.
        tree: The changed module.
        limit: Seconds of processor time after which the tests count as failed.

    Returns:
        Whether all tests passed, and the seconds of processor time that they took.

    Raises:
        RuntimeError: if the module was imported already.
    """
    if module_of(file) in sys.modules:
        raise RuntimeError(f"{module_of(file)} was imported before its tests; a changed one cannot take its place")
    child = os.fork()
    if child == 0:
        _run(tests, file, tree, limit)
    _, status, usage = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status) == 0, usage.ru_utime + usage.ru_stime


def _run(tests: Sequence[str], file: str, tree: ast.Module, limit: float | None) -> None:
    """Run tests in this process, and exit with status 0 if all passed."""
    import pytest
    from hypothesis import Phase, settings

    status = 1
    try:
        if limit is not None:
            seconds = ceil(limit)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        sys.meta_path.insert(0, _Finder(module_of(file), str(Path(file).resolve()), tree))
        sys.dont_write_bytecode = True
        # One failing example is enough: no shrinking.
        found: dict[str, Any] = {"phases": (Phase.explicit, Phase.generate), "database": None, "derandomize": True}
        settings.register_profile("mutation", deadline=None, max_examples=20, **found)
        # Only the pytest plugins that the tests need: loading all takes longer than the tests.
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        options = ["-x", "-q", "--assert=plain", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
        options += ["-p", "_hypothesis_pytestplugin", "--hypothesis-profile=mutation"]
        status = int(pytest.main([*options, *tests]))
    finally:
        os._exit(status)
