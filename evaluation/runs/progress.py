"""Progress of a run on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from typing import Protocol, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

from evaluation.html_theme.printable import printable
from evaluation.models.model_roles import PERSON
from evaluation.records.records import Record
from evaluation.runs.run_config import RunConfig
from evaluation.runs.society import Step

THINKING = "everyone thinks ..."
"""What is shown in a step in which nobody has decided yet."""

_SHORT = {"filtered": " (filtered)", "inadmissible": " (in vain)"}


class Progress(Protocol):
    """Show how far a run is."""

    def say(self, text: str) -> None:
        """Show one line."""
        ...

    def begin(self, done: int, steps: int, *, meanwhile: str = THINKING) -> None:
        """Show that the steps begin.

        Args:
            done: How many were done before.
            steps: How many there are.
            meanwhile: What happens until somebody has decided.
        """
        ...

    def act(self, name: str) -> None:
        """Show the decision of a resident in the current step."""
        ...

    def step(self, step: Step) -> None:
        """Show that a step is done."""
        ...

    def end(self) -> None:
        """Show that no step follows."""
        ...


class PlainProgress:
    """Show progress as lines of text, for a standard error that is no terminal."""

    def __init__(self, stream: TextIO, *, least: float = 1.0, most: float = 5.0) -> None:
        """Prepare.

        Args:
            stream: Where to write.
            least: Seconds between two lines about steps, at least.
            most: Seconds without a line after which a line says who has decided already in an unfinished step.
        """
        self._stream = stream
        self._least, self._most = least, most
        self._started = self._shown = 0.0
        self._before = self._done = self._steps = 0
        self._decided: list[str] = []

    def say(self, text: str) -> None:
        """Write a line."""
        print(printable(text), file=self._stream, flush=True)

    def begin(self, done: int, steps: int, *, meanwhile: str = THINKING) -> None:
        """Write how many steps there are."""
        self._started, self._before, self._done, self._steps = time.monotonic(), done, done, steps
        self._shown = self._started
        if done < steps:
            self.say(f"step {done + 1}/{steps}: {meanwhile}")

    def act(self, name: str) -> None:
        """Write a line, if the last one is old."""
        self._decided.append(name)
        if (now := time.monotonic()) - self._shown >= self._most:
            self._shown = now
            self.say(f"step {self._done + 1}/{self._steps}: decided so far: {', '.join(self._decided)}")

    def step(self, step: Step) -> None:
        """Write a line, unless the last one is recent."""
        now, done = time.monotonic(), step.time + 1
        self._done = done
        self._decided.clear()
        if now - self._shown < self._least and done < self._steps:
            return
        self._shown = now
        elapsed = now - self._started
        left = elapsed / (done - self._before) * (self._steps - done)
        self.say(f"step {done}/{self._steps}, {clock(elapsed)} elapsed, {clock(left)} left: {doings(step.records)}")

    def end(self) -> None:
        """Nothing to do."""


class NoProgress:
    """Show nothing."""

    def say(self, text: str) -> None:
        """Nothing to show."""

    def begin(self, done: int, steps: int, *, meanwhile: str = THINKING) -> None:
        """Nothing to show."""

    def act(self, name: str) -> None:
        """Nothing to show."""

    def step(self, step: Step) -> None:
        """Nothing to show."""

    def end(self) -> None:
        """Nothing to show."""


class NoSteps(NoProgress):
    """Show messages but no steps, so that a person in the run sees only what a resident perceives."""

    def __init__(self, shown: Progress) -> None:
        """Wrap a progress."""
        self._shown = shown

    def say(self, text: str) -> None:
        """Show one line."""
        self._shown.say(text)


class TerminalProgress:
    """Show a bar with steps, elapsed and remaining time, and the current decisions below it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars = Bars(
            TextColumn("step"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("elapsed,"),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=console,
        )
        self._task = self._bars.add_task("", start=False, total=None)
        self._live = Live(console=console, transient=True, refresh_per_second=4)
        self._decided: list[str] = []
        self._last, self._meanwhile = "", THINKING

    def say(self, text: str) -> None:
        """Write a line above the bar."""
        self._console.print(Text(printable(text)))

    def begin(self, done: int, steps: int, *, meanwhile: str = THINKING) -> None:
        """Show the bar."""
        self._meanwhile = meanwhile
        self._bars.reset(self._task, total=steps, completed=done)
        self._show()
        self._live.start()

    def act(self, name: str) -> None:
        """Show who has decided."""
        self._decided.append(name)
        self._show()

    def step(self, step: Step) -> None:
        """Advance the bar."""
        self._bars.update(self._task, completed=step.time + 1)
        self._last = doings(step.records)
        self._decided.clear()
        self._show()

    def end(self) -> None:
        """Remove the bar."""
        self._live.stop()

    def _show(self) -> None:
        now = f"decided so far: {', '.join(self._decided)}" if self._decided else self._meanwhile
        lines = [Text(line, style="dim", no_wrap=True, overflow="ellipsis") for line in (self._last, now) if line]
        self._live.update(Group(self._bars, *lines))


def progress_on(stream: TextIO | None = None) -> Progress:
    """Choose the progress display for a stream, standard error by default: a bar on a terminal, else lines."""
    stream = sys.stderr if stream is None else stream
    return TerminalProgress(Console(file=stream)) if stream.isatty() else PlainProgress(stream)


def beside(configuration: RunConfig, progress: Progress) -> Progress:
    """Choose the progress display of a run in whose terminal a person may take part.

    Args:
        configuration: Of the run.
        progress: Shown where nobody does.
    """
    return NoSteps(progress) if PERSON in configuration.model.names else progress


def doings(records: Iterable[Record]) -> str:
    """Describe who does what in one line, without speech."""
    parts = []
    for record in records:
        action = record["action"]
        deed = "waits" if action is None else action.split(":")[0]
        if record["outcome"] == "failed":
            deed = "has no answer from the model"
        parts.append(f"{record['resident']} {deed}{_SHORT.get(record['outcome'], '')}")
    return printable(" · ".join(parts))


def clock(seconds: float) -> str:
    """Format a duration as minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
