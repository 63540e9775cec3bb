"""Preloads everything that ``irollan run`` needs into the process from which the killed runs are forked.

Estimating a run takes the same path as a run and writes nothing. It loads modules, the map, the words and the tables,
which take a new process longer than the few steps within which it is killed.
"""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

import evaluation.runs.start  # noqa: F401  (an estimate starts nothing)
from evaluation.__main__ import main

with (
    mock.patch.object(sys, "argv", ["irollan", "run", "--estimate", "--model", "scripted", "--steps", "1"]),
    redirect_stdout(io.StringIO()),
    redirect_stderr(errors := io.StringIO()),
):
    if main() != 0:
        raise RuntimeError(f"a run cannot be estimated: {errors.getvalue()}")
