"""The terminal as the interface of a person in a run."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import TextIO

from evaluation.html_theme.printable import printable
from evaluation.models.person import Left, Question, left
from irollan_env.actions import LONGEST_CHAT
from irollan_env.hints import quote

_HOW_TO_ANSWER = (
    "Type the number of what you want to do, then Enter; take as much time as you like.",
    "Where you speak, you are asked for your words; Enter alone says nothing, and is a silence.",
)
HELP = (
    *_HOW_TO_ANSWER,
    "The last number hands the resident over: the model of the run decides for it from now on.",
    "q ends the run here, and so does Ctrl-D: irollan resume asks you the same again.",
    "Ctrl-C ends it after this step.",
)
HELP_IN_A_TASK = (
    *_HOW_TO_ANSWER,
    "The last number gives this task up: your resident waits to its end.",
    "q ends it all here, and so does Ctrl-D; with --record FILE the same command continues from here.",
)
_WIDEST = 100  # columns


class Terminal:
    """Ask a person questions at a terminal, and read lines as answers.

    The event loop waits for the keyboard: no thread is left behind in the middle of a line.
    """

    def __init__(self, keyboard: int, screen: TextIO, help: Sequence[str] = HELP) -> None:
        """Prepare.

        Args:
            keyboard: The file descriptor that is read from.
            screen: Written to.
            help: The lines that "h" shows.
        """
        self._help = help
        self._keyboard = keyboard
        self._screen = screen
        self._typed = b""
        self._one_by_one = asyncio.Lock()

    @classmethod
    def of_process(cls, help: Sequence[str] = HELP, remedy: str = "irollan run --view asks in a page") -> Terminal:
        """Return the terminal of this process.

        Args:
            help: The lines that "h" shows.
            remedy: What to do where there is no terminal.

        Raises:
            ValueError: if there is none.
        """
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise ValueError(
                f"a resident with the mind me needs a person at a terminal, and there is no terminal here; {remedy}"
            )
        return cls(sys.stdin.fileno(), sys.stderr, help)

    async def ask(self, question: Question) -> str:
        """Ask a question as ``HumanInterface.ask`` does; an invalid answer gets one line of help and another try.

        Raises:
            Left: for "q" where something is to be picked, or the end of the input.
        """
        async with self._one_by_one:
            self._show(question)
            while True:
                what = f"1 to {len(question.options)}, h for help" if question.options else "your words"
                self._screen.write(f"{printable(question.resident)}, step {question.time + 1} ({what})> ")
                self._screen.flush()
                answer = self._read(question, await self._line(question))
                if answer is not None:
                    return answer

    def _show(self, question: Question) -> None:
        width = min(_WIDEST, shutil.get_terminal_size().columns)
        self._say("")
        for line in question.prompt.split("\n"):
            self._say(textwrap.fill(printable(line), width, subsequent_indent="     " if line[:1] == " " else ""))

    def _read(self, question: Question, line: str) -> str | None:
        """Parse an answer; None where it is invalid."""
        if not line.isprintable():
            self._say("that has a character that cannot be shown, such as that of an arrow key; type it again")
        elif not question.options:
            if len(line) <= LONGEST_CHAT:
                return line
            self._say(f"these are {len(line)} characters, and {LONGEST_CHAT} can be said in one step")
        elif line == "q":
            raise Left(left(question))
        elif line == "h":
            self._say("\n".join(self._help))
        elif line.isascii() and line.isdigit() and len(line) < 10 and 1 <= int(line) <= len(question.options):
            return question.options[int(line) - 1]
        else:
            self._say(f"{quote(line)} is no number from 1 to {len(question.options)}; h for help")
        return None

    async def _line(self, question: Question) -> str:
        """Read the next line, stripped of white space."""
        while b"\n" not in self._typed:
            await self._something_typed()
            more = os.read(self._keyboard, 4096)
            if not more:
                self._say("")
                raise Left(left(question))
            self._typed += more
        line, _, self._typed = self._typed.partition(b"\n")
        # What is no text has no printable character then.
        return line.decode("utf-8", "surrogateescape").strip()

    async def _something_typed(self) -> None:
        loop = asyncio.get_running_loop()
        typed = asyncio.Event()
        loop.add_reader(self._keyboard, typed.set)
        try:
            await typed.wait()
        finally:
            loop.remove_reader(self._keyboard)

    def _say(self, text: str) -> None:
        self._screen.write(f"{text}\n")
        self._screen.flush()
