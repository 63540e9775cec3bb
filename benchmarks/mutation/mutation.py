"""Mutation score of the tests on the files with the paper's equations.

A mutant is a file with one operator, constant or name changed. It is killed if the file's tests fail with it. Results
are kept in a file, so that an interrupted run can continue: a mutant is tried again if its file has changed, or if it
survived and its tests have changed.
"""

from __future__ import annotations

import ast
import importlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from benchmarks.mutation.equations import TESTS
from benchmarks.mutation.mutants import Mutant, mutants
from benchmarks.mutation.trial import run_tests
from benchmarks.reporting import AsJson, as_table_or_json, check_known, progress, table

GOAL = 0.95
_SLOWER, _MORE = 8, 20
"""Time limit of a mutant: this factor times the processor time of the original, plus these seconds."""
_HELPFUL = ("numpy", "pytest", "hypothesis", "language_models.scripted", "language_models.embedders.hash_embedder")
_say = progress("mutation")


@dataclass(frozen=True, slots=True)
class Trial:
    """Result of one mutant.

    Attributes:
        file: The file.
        source: Digest of the file's contents.
        tests: Digest of its tests and their helpers.
        number: Index among the file's mutants.
        line: Line of the change.
        change: The original code and its replacement.
        killed: Whether a test failed.
    """

    file: str
    source: str
    tests: str
    number: int
    line: int
    change: str
    killed: bool


def command(
    files: Annotated[list[str] | None, typer.Argument(metavar="[FILE]...", help="These files alone.")] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where results are kept.")] = Path("runs/mutation.jsonl"),
    minutes: Annotated[float, typer.Option(metavar="N", help="Stop after so long; go on with the next call.")] = 1e9,
    every: Annotated[int, typer.Option(metavar="N", help="Try every Nth mutant of each file.")] = 1,
    survived: Annotated[bool, typer.Option("--survived", help="List those that survived.")] = False,
    as_json: AsJson = False,
) -> int:
    """Run the tests against mutants of the files with the paper's equations, and count the mutants killed."""
    chosen = list(files or TESTS)
    check_known("a file of equations", chosen, TESTS)
    if every < 1:
        raise ValueError(f"every must be at least 1, got {every}")
    for name in _HELPFUL:
        importlib.import_module(name)
    until = monotonic() + 60 * minutes
    trials: list[Trial] = []
    rows: list[tuple[str, int, int, int, str]] = []
    for file in chosen:
        done = list(try_file(file, out, every=every, until=until))
        trials += done
        total = len(range(0, sum(1 for _ in mutants(Path(file).read_text(encoding="utf-8"))), every))
        rows.append((file, total, *_counts(done)))
    rows.append(("together", sum(row[1] for row in rows), *_counts(trials)))
    surviving = [asdict(trial) for trial in trials if not trial.killed]
    shown = table(["file", "mutants", "tried", "killed", "share killed"], rows)
    if survived:
        shown += "".join(f"\n{one['file']}:{one['line']}: {one['change']}" for one in surviving)
    as_table_or_json({"files": rows, "survived": surviving}, shown, as_json=as_json)
    return 0 if trials and sum(trial.killed for trial in trials) >= GOAL * len(trials) else 1


def _counts(trials: Sequence[Trial]) -> tuple[int, int, str]:
    killed = sum(trial.killed for trial in trials)
    return len(trials), killed, f"{100 * killed / len(trials):.1f} %" if trials else ""


def try_file(file: str, out: Path, *, every: int = 1, until: float = float("inf")) -> Iterator[Trial]:
    """Yield the results of a file's mutants, the known ones and those of mutants not tried yet.

    Args:
        file: One of ``TESTS``.
        out: File of results, to which new ones are appended.
        every: Try every Nth mutant.
        until: Time of ``monotonic`` after which no further mutant is tried.

    Raises:
        RuntimeError: if the tests fail with the file as it is.
    """
    text = Path(file).read_text(encoding="utf-8")
    source, tests = _digest([Path(file)]), _digest(_read_by(TESTS[file]))
    known = {
        trial.number: trial
        for trial in _kept(out)
        if (trial.file, trial.source) == (file, source) and (trial.killed or trial.tests == tests)
    }
    limit: float | None = None
    for mutant in mutants(text):
        if mutant.number % every:
            continue
        if mutant.number in known:
            yield known[mutant.number]
        elif monotonic() < until:
            limit = _limit(file, text) if limit is None else limit
            yield _try(mutant, file, source, tests, out, limit)


def _limit(file: str, text: str) -> float:
    """Return the processor time that a file's mutants may take, from that of the unchanged file."""
    passed, seconds = run_tests(TESTS[file], file, ast.parse(text))
    if not passed:
        raise RuntimeError(f"the tests of {file} fail as it is; run python -m pytest {' '.join(TESTS[file])}")
    _say(f"{file}: the tests take {seconds:.1f} s of processor time")
    return _SLOWER * seconds + _MORE


def _try(mutant: Mutant, file: str, source: str, tests: str, out: Path, limit: float) -> Trial:
    passed, seconds = run_tests(TESTS[file], file, mutant.tree, limit=limit)
    trial = Trial(file, source, tests, mutant.number, mutant.line, mutant.change, not passed)
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("a", encoding="utf-8") as kept:
        kept.write(json.dumps(asdict(trial)) + "\n")
    _say(f"{'survived ' if passed else 'killed'} {file}:{mutant.line}: {mutant.change} ({seconds:.1f} s)")
    return trial


def _kept(out: Path) -> Iterator[Trial]:
    if not out.exists():
        return
    for line in out.read_text(encoding="utf-8").splitlines():
        try:
            yield Trial(**json.loads(line))
        except json.JSONDecodeError:
            _say(f"a line of {out} was not written to its end; its mutant is tried again")


def _read_by(tests: Sequence[str]) -> list[Path]:
    """Return the files of tests and of their helpers."""
    return [*map(Path, tests), *sorted(Path("tests/helpers").glob("*.py")), *sorted(Path("tests").rglob("conftest.py"))]


def _digest(files: Sequence[Path]) -> str:
    whole = sha256()
    for file in files:
        whole.update(file.read_bytes())
    return whole.hexdigest()[:16]
