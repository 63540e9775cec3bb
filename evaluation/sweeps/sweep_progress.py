"""What a sweep shows on standard error while it goes on: runs and steps done, what goes on now, and the time left."""

from __future__ import annotations

import sys
import time
from typing import Protocol, TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from evaluation.html_theme.printable import printable
from evaluation.runs.progress import clock
from evaluation.runs.society import Step
from evaluation.sweeps.cells import Cell

_SHOWN = 4


class SweepProgress:
    """Counts the steps of all runs of a sweep, and shows them."""

    def __init__(self, display: Display) -> None:
        """Prepare.

        Args:
            display: Where lines and the state of things go.
        """
        self._display = display
        self._runs = self._finished = self._failed = self._steps = self._before = 0
        self._done: dict[str, int] = {}
        self._now: dict[str, tuple[int, int]] = {}
        self._begun = time.monotonic()

    def begin(self, steps: dict[str, int], done: dict[str, int], finished: int) -> None:
        """The sweep begins.

        Args:
            steps: Of each run that is to be taken to its end, by name.
            done: How many of them were done before.
            finished: How many runs were finished before.
        """
        self._runs, self._finished = len(steps) + finished, finished
        self._steps, self._done, self._before = sum(steps.values()), dict(done), sum(done.values())
        self._begun = time.monotonic()
        self._display.state(self.line(), urgent=True)

    def say(self, text: str) -> None:
        """Show one line."""
        self._display.say(text)

    def of(self, cell: Cell) -> RunProgress:
        """Where one run shows how far it has come."""
        return RunProgress(self, cell.name)

    def at(self, name: str, done: int, steps: int) -> None:
        """A run has taken so many steps of so many."""
        self._done[name] = done
        self._now[name] = done, steps
        self._display.state(self.line())

    def beat(self) -> None:
        """Something goes on within a step."""
        self._display.state(self.line())

    def ended(self, name: str, reason: str) -> None:
        """A run has ended; a reason says why it is not finished."""
        self._now.pop(name, None)
        if reason:
            self._failed += 1
            self.say(f"{name} is not finished: {reason}")
        else:
            self._finished += 1
        self._display.state(self.line(), urgent=True)

    def end(self) -> None:
        """No run follows."""
        self._display.end()

    def line(self) -> str:
        """How things stand, in one line."""
        done = sum(self._done.values())
        elapsed, now = time.monotonic() - self._begun, done - self._before
        left = f"{clock(elapsed / now * (self._steps - done))} left" if now > 0 else "time left not known yet"
        failed = f", {self._failed} not finished" if self._failed else ""
        going = [f"{name} {at}/{steps}" for name, (at, steps) in self._now.items()]
        more = f" and {len(going) - _SHOWN} more" if len(going) > _SHOWN else ""
        counts = f"{self._finished} of {self._runs} runs{failed}, step {done}/{self._steps}"
        names = f"{': ' if going else ''}{', '.join(going[:_SHOWN])}{more}"
        return f"{counts}, {clock(elapsed)} elapsed, {left}{names}"


class RunProgress:
    """The progress of one run among others, as ``evaluation.runs.progress.Progress``."""

    def __init__(self, sweep: SweepProgress, name: str) -> None:
        self._sweep = sweep
        self._name = name
        self._steps = 0

    def say(self, text: str) -> None:
        """Show one line, with the name of the run."""
        self._sweep.say(f"{self._name}: {text}")

    def begin(self, done: int, steps: int) -> None:
        """The steps begin."""
        self._steps = steps
        self._sweep.at(self._name, done, steps)

    def act(self, name: str) -> None:
        """Show that time passes: who of which run has decided, nobody could follow."""
        self._sweep.beat()

    def step(self, step: Step) -> None:
        """A step is done."""
        self._sweep.at(self._name, step.time + 1, self._steps)

    def end(self) -> None:
        """Nothing: the sweep is told how the run ended."""


class Display(Protocol):
    """Where a sweep shows how far it has come."""

    def say(self, text: str) -> None:
        """Show one line that stays."""
        ...

    def state(self, text: str, *, urgent: bool = False) -> None:
        """Show how things stand; what is not urgent may be left out."""
        ...

    def end(self) -> None:
        """Nothing follows."""
        ...


class LineDisplay:
    """Lines of text, for a standard error that is no terminal."""

    def __init__(self, stream: TextIO, *, least: float = 5.0) -> None:
        """Prepare.

        Args:
            stream: Where to write.
            least: Seconds between two lines that are not urgent, at least.
        """
        self._stream = stream
        self._least = least
        self._shown = -least

    def say(self, text: str) -> None:
        """Write a line."""
        print(printable(text), file=self._stream, flush=True)

    def state(self, text: str, *, urgent: bool = False) -> None:
        """Write a line, if the last one is not too fresh."""
        if urgent or time.monotonic() - self._shown >= self._least:
            self._shown = time.monotonic()
            self.say(text)

    def end(self) -> None:
        """Nothing to do."""


class TerminalDisplay:
    """One line that changes in place, below those that stay."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, transient=True, refresh_per_second=4)

    def say(self, text: str) -> None:
        """Write a line above."""
        self._console.print(Text(printable(text)))

    def state(self, text: str, *, urgent: bool = False) -> None:
        """Change the line."""
        self._live.update(Text(printable(text), no_wrap=True, overflow="ellipsis"))
        if not self._live.is_started:
            self._live.start()

    def end(self) -> None:
        """Take the line away."""
        self._live.stop()


def sweep_progress_on(stream: TextIO | None = None) -> SweepProgress:
    """What suits a stream, by default standard error: a line that changes on a terminal, else lines."""
    stream = sys.stderr if stream is None else stream
    return SweepProgress(TerminalDisplay(Console(file=stream)) if stream.isatty() else LineDisplay(stream))
