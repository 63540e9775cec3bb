"""Printing of a run's result."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.commands.errors import print_error, print_note, print_path
from evaluation.runs.budget import NOT_REPORTED
from evaluation.runs.full_disk import describe_write_failure

if TYPE_CHECKING:
    from evaluation.runs.estimate import Estimate
    from evaluation.runs.execution import Result


def print_failure(error: Exception, folder: Path) -> int:
    """Print why a run could not start or resume.

    Args:
        error: A ValueError for a wrong request, otherwise an external failure.
        folder: Directory of the run, for an error that names no file.

    Returns:
        The exit status.
    """
    if isinstance(error, OSError):
        return print_error(describe_write_failure(error, folder) or str(error), 1)
    return print_error(str(error), 2 if isinstance(error, ValueError) else 1)


def print_result(result: Result, steps: int, as_json: bool) -> int:
    """Print how a run ended: its report on standard output, the rest on standard error.

    Args:
        result: Result of the run.
        steps: Planned number of time steps.
        as_json: Whether to print JSON.
    """
    from evaluation.runs.costs import (
        costs_of_run,
        describe_done_without,
        describe_failed,
        failed_decisions,
        uncounted_in_run,
    )

    path = result.directory.path
    try:
        costs = costs_of_run(result.directory) if result.report is not None else {}
        uncounted = uncounted_in_run(result.directory) if costs else []
    except OSError as error:
        print_note(f"what it cost is not known: {error}")
        costs, uncounted = {}, []
    if costs:
        print(
            f"{costs['calls_per_resident_step']:.2f} model calls and {costs['tokens_per_resident_step']:.0f} tokens "
            f"per resident and step{_dollars(costs, all_counted=not uncounted)}",
            file=sys.stderr,
        )
    if "embedding_calls" in costs:
        print(
            f"beside these, embeddings took {costs['embedding_calls']:,.0f} requests and "
            f"{costs['embedding_tokens']:,.0f} tokens, which no limit counts",
            file=sys.stderr,
        )
    for clause in uncounted:
        print_note(clause)
    outcome = None
    if result.status == "finished" and (outcome := result.directory.read_manifest().get("outcome")):
        print_note(f"outcome of the scenario {outcome['scenario']}: {outcome['score']:.2f}. {outcome['meaning']}")
    failed, decisions, reason = failed_decisions(result.directory)
    if failed:
        print_note(describe_failed(failed, decisions, reason))
    manifest = result.directory.read_manifest() if result.directory.manifest_path.is_file() else {}
    if without := describe_done_without(manifest):
        print_note(without)
    if as_json:
        answer = {
            "status": result.status,
            "steps": result.steps,
            "run": str(path),
            "report": None if result.report is None else str(result.report),
            "unanswered": failed,
            "uncounted": uncounted,
            **({} if outcome is None else {"outcome": outcome["score"]}),
            **costs,
        }
        print(json.dumps(answer), flush=True)
    elif result.report is not None:
        print_path(result.report)
    if result.status == "finished":
        return 0
    went = f"stopped after step {result.steps} of {steps}"
    if not result.directory.manifest_path.is_file():
        lost = "" if result.steps else " (nothing was started); then give the same command again"
        return print_error(f"{result.error}{lost}", 1)
    if NOT_REPORTED in result.spent:
        return print_error(f"{went}: {result.spent}; resume without: irollan resume {path} --no-limits", 1)
    if result.spent:
        limit = "--max-cost X" if "$" in result.spent else "--max-tokens N"
        return print_error(f"{went}: {result.spent}; resume with a larger limit: irollan resume {path} {limit}", 1)
    if result.status == "failed":
        trace = result.directory.error_path
        went = f"{result.error} ({went}{f'; where in the program: {trace}' if trace.exists() else ''})"
    return print_error(f"{went}; resume with: irollan resume {path}", 1)


def print_estimate(found: Estimate, as_json: bool) -> int:
    """Print the estimate of a run or of several, and return the exit status."""
    from evaluation.runs.estimate import in_words

    print(json.dumps(asdict(found)) if as_json else in_words(found))
    return 0


def _dollars(costs: dict[str, float], *, all_counted: bool) -> str:
    at_least = "" if all_counted else "at least "
    return f"; {at_least}${costs['dollars']:,.4f} in all" if costs.get("dollars") else ""
