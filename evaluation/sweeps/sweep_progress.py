"""Progress of a sweep on standard error: completed runs and steps, active runs, and the time left."""

from __future__ import annotations

import sys
import time
from typing import Protocol, TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from evaluation.html_theme.printable import printable
from evaluation.runs.progress import THINKING, clock
from evaluation.runs.society import Step
from evaluation.sweeps.cells import Cell

_SHOWN = 4


class SweepProgress:
    """Tracks and displays the progress of all runs of a sweep."""

    def __init__(self, display: Display) -> None:
        """Create the progress with no runs yet.

        Args:
            display: Where messages and the status line are shown.
        """
        self._display = display
        self._runs = self._finished = self._failed = self._steps = self._before = 0
        self._done: dict[str, int] = {}
        self._now: dict[str, tuple[int, int]] = {}
        self._started = time.monotonic()

    def begin(self, steps: dict[str, int], done: dict[str, int], finished: int) -> None:
        """Start counting.

        Args:
            steps: Number of time steps of each unfinished run, by name.
            done: Number of those steps that were completed before, by name.
            finished: Number of runs that were finished before.
        """
        self._runs, self._finished = len(steps) + finished, finished
        self._steps, self._done, self._before = sum(steps.values()), dict(done), sum(done.values())
        self._started = time.monotonic()
        self._display.state(self.line(), urgent=True)

    def say(self, text: str) -> None:
        """Show a message."""
        self._display.say(text)

    def of(self, cell: Cell) -> RunProgress:
        """Return the progress of one run, which reports to this sweep."""
        return RunProgress(self, cell.name)

    def at(self, name: str, done: int, steps: int) -> None:
        """Record that a run has completed ``done`` of its steps."""
        self._done[name] = done
        self._now[name] = done, steps
        self._display.state(self.line())

    def beat(self) -> None:
        """Refresh the status line within a step."""
        self._display.state(self.line())

    def ended(self, name: str, reason: str) -> None:
        """Record that a run has ended; a nonempty reason says why it is not finished."""
        self._now.pop(name, None)
        if reason:
            self._failed += 1
            self.say(f"{name} is not finished: {reason}")
        else:
            self._finished += 1
        self._display.state(self.line(), urgent=True)

    def end(self) -> None:
        """Close the display after the last run."""
        self._display.end()

    def line(self) -> str:
        """Return the status line: runs, steps, elapsed time, time left, and active runs."""
        done = sum(self._done.values())
        elapsed, now = time.monotonic() - self._started, done - self._before
        left = f"{clock(elapsed / now * (self._steps - done))} left" if now > 0 else "time left not known yet"
        failed = f", {self._failed} not finished" if self._failed else ""
        going = [f"{name} {at}/{steps}" for name, (at, steps) in self._now.items()]
        more = f" and {len(going) - _SHOWN} more" if len(going) > _SHOWN else ""
        counts = f"{self._finished} of {self._runs} runs{failed}, step {done}/{self._steps}"
        names = f"{': ' if going else ''}{', '.join(going[:_SHOWN])}{more}"
        return f"{counts}, {clock(elapsed)} elapsed, {left}{names}"


class RunProgress:
    """Progress of one run of a sweep, with the interface of ``evaluation.runs.progress.Progress``."""

    def __init__(self, sweep: SweepProgress, name: str) -> None:
        self._sweep = sweep
        self._name = name
        self._steps = 0

    def say(self, text: str) -> None:
        """Show a message with the name of the run."""
        self._sweep.say(f"{self._name}: {text}")

    def begin(self, done: int, steps: int, *, meanwhile: str = THINKING) -> None:
        """Record the number of steps, and how many were completed before."""
        self._steps = steps
        self._sweep.at(self._name, done, steps)

    def act(self, name: str) -> None:
        """Refresh the status line; single decisions of concurrent runs are not shown."""
        self._sweep.beat()

    def step(self, step: Step) -> None:
        """Record a completed step."""
        self._sweep.at(self._name, step.time + 1, self._steps)

    def end(self) -> None:
        """Do nothing; ``SweepProgress.ended`` records the end of a run."""


class Display(Protocol):
    """Output of a sweep's messages and status line."""

    def say(self, text: str) -> None:
        """Show a message permanently."""
        ...

    def state(self, text: str, *, urgent: bool = False) -> None:
        """Show the status line; updates that are not urgent may be skipped."""
        ...

    def end(self) -> None:
        """Close the display."""
        ...


class LineDisplay:
    """Display that prints plain lines, for streams that are not terminals."""

    def __init__(self, stream: TextIO, *, least: float = 5.0) -> None:
        """Create a display on a stream.

        Args:
            stream: Where to write.
            least: Minimum seconds between two lines that are not urgent.
        """
        self._stream = stream
        self._least = least
        self._shown = -least

    def say(self, text: str) -> None:
        """Print a line."""
        print(printable(text), file=self._stream, flush=True)

    def state(self, text: str, *, urgent: bool = False) -> None:
        """Print the status unless the previous line is too recent."""
        if urgent or time.monotonic() - self._shown >= self._least:
            self._shown = time.monotonic()
            self.say(text)

    def end(self) -> None:
        """Do nothing."""


class TerminalDisplay:
    """Display with a status line that is updated in place below the messages."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, transient=True, refresh_per_second=4)

    def say(self, text: str) -> None:
        """Print a message above the status line."""
        self._console.print(Text(printable(text)))

    def state(self, text: str, *, urgent: bool = False) -> None:
        """Update the status line."""
        self._live.update(Text(printable(text), no_wrap=True, overflow="ellipsis"))
        if not self._live.is_started:
            self._live.start()

    def end(self) -> None:
        """Remove the status line."""
        self._live.stop()


def sweep_progress_on(stream: TextIO | None = None) -> SweepProgress:
    """Create the progress for a stream, standard error by default: in place on a terminal, else as lines."""
    stream = sys.stderr if stream is None else stream
    return SweepProgress(TerminalDisplay(Console(file=stream)) if stream.isatty() else LineDisplay(stream))
