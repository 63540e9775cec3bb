"""Directory of a sweep: its declaration, one directory per run, the tables and the report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evaluation.records.directories import LOCK_NAME, BusyError, DirectoryError, DirectoryLock, check_place
from evaluation.records.files import check_no_link, write_atomically
from evaluation.records.map_file import describe_map
from evaluation.records.run_directory import RunDirectory
from evaluation.sweeps.cells import Cell, State, difference, state_of


class SweepDirectory:
    """The files of one sweep.

    Attributes:
        path: The directory.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def declaration_path(self) -> Path:
        """JSON file with the declaration and the configuration of every cell."""
        return self.path / "sweep.json"

    @property
    def runs_path(self) -> Path:
        """Folder of the run directories."""
        return self.path / "runs"

    @property
    def table_path(self) -> Path:
        """CSV file with one row per run: configuration, status, costs and measures."""
        return self.path / "runs.csv"

    @property
    def tests_path(self) -> Path:
        """CSV file with the test results, one row per measure."""
        return self.path / "tests.csv"

    @property
    def curves_path(self) -> Path:
        """CSV file with one row per run, quantity and time step."""
        return self.path / "curves.csv"

    @property
    def report_path(self) -> Path:
        """HTML page that compares all runs."""
        return self.path / "report.html"

    def run_of(self, cell: Cell) -> RunDirectory:
        """Return the run directory of a cell."""
        return RunDirectory(self.runs_path / cell.name)

    def check(self, cells: Sequence[Cell]) -> dict[str, State]:
        """Check that the cells can be run in this directory, without writing anything.

        An existing sweep may be extended: all of its runs must be among the cells.

        Returns:
            The state of each cell, by name.

        Raises:
            DirectoryError: if the directory holds something else, or a sweep with another declaration.
            ValueError: if the folder of a run is a link.
        """
        check_place(self.path)
        for folder in (self.runs_path, *(self.run_of(cell).path for cell in cells)):
            check_no_link(folder)
        if self.declaration_path.is_file():
            self._check_grown(cells)
        elif self.path.is_dir() and any(entry.name != LOCK_NAME for entry in self.path.iterdir()):
            raise DirectoryError(f"{self.path} holds files that are not a sweep's; give another --out")
        states = {cell.name: state_of(self.run_of(cell), cell.configuration) for cell in cells}
        self._check_maps([cell for cell in cells if states[cell.name] != "missing"])
        return states

    def _check_maps(self, cells: Sequence[Cell]) -> None:
        """Check that the maps of runs are still those on which new ones would begin: a file may have changed."""
        known: dict[Any, str] = {}
        for cell in cells:
            world = cell.configuration.world
            if (asked := cell.origin or (world.map, world.residents)) not in known:
                known[asked] = describe_map(cell.read_map())["sha256"]
            kept = self.run_of(cell).read_manifest().get("map")
            if kept is not None and kept["sha256"] != known[asked]:
                raise DirectoryError(
                    f"{self.run_of(cell).path} has another map than {world.map!r} is now, so that its runs cannot be "
                    "compared with new ones; get that map back, or give another --out"
                )

    def _check_grown(self, cells: Sequence[Cell]) -> None:
        try:
            known: dict[str, Any] = json.loads(self.declaration_path.read_bytes())["cells"]
            wanted = {cell.name: cell.configuration for cell in cells}
            changed = {name: difference(one, wanted[name]) for name, one in known.items() if name in wanted}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DirectoryError(f"{self.declaration_path} is damaged: {error}") from error
        for name in known:
            if name not in wanted:
                raise DirectoryError(
                    f"{self.path} is of another declaration: it has the run {name}, which is not in this one; "
                    "give another --out"
                )
            if (found := changed[name]) is not None:
                path, was, now = found
                raise DirectoryError(
                    f"{self.path} is of another declaration: {path} was {was!r} and is {now!r} now; give another --out"
                )

    @contextmanager
    def open(self, declaration: Mapping[str, Any], cells: Sequence[Cell]) -> Iterator[None]:
        """Lock the directory for this process, and write the declaration and the cells to it.

        Args:
            declaration: The declaration as JSON-ready data.
            cells: All runs of the sweep.

        Raises:
            DirectoryError: if another process holds the lock.
        """
        self.runs_path.mkdir(parents=True, exist_ok=True)
        try:
            lock = DirectoryLock(self.path)
        except BusyError:
            raise DirectoryError(f"another process is at the sweep {self.path}; wait until it ends") from None
        try:
            write_atomically(self.declaration_path, _declared(declaration, cells).encode())
            yield
        finally:
            lock.release()


def _declared(declaration: Mapping[str, Any], cells: Sequence[Cell]) -> str:
    """Return the text of sweep.json, with one line per cell."""

    def line(name: str, value: Any) -> str:
        return f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"

    runs = ",\n".join(line(cell.name, cell.configuration.to_json()) for cell in cells)
    return f'{{{line("declaration", dict(declaration))},\n"cells": {{\n{runs}\n}}}}\n'
