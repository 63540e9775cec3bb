"""Informed consent of raters, and withdrawal."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from evaluation.rating.plain_text import plain_text
from evaluation.rating.store import Answer
from evaluation.rating.study import RatingError

CONSENT, WITHDRAWAL = "consent.txt", "withdrawal.txt"
LONGEST_TEXT = 20_000

PARTICIPATION = "participation"
"""Question of item 0 that records consent and withdrawal, with the version of the text."""

_AGREED, _WITHDRAWN = "agreed to ", "withdrew by "


@dataclass(frozen=True, slots=True)
class Terms:
    """The consent texts of a study; empty lines separate paragraphs.

    Attributes:
        consent: Text that a rater agrees to.
        withdrawal: Text about withdrawal and the answers given by then.
    """

    consent: str
    withdrawal: str

    @property
    def version(self) -> str:
        """Version of the consent text, determined by the text."""
        return version_of(self.consent)

    @classmethod
    def load(cls, directory: Path) -> Terms:
        """Read the texts of a study.

        Raises:
            RatingError: if a text is missing or invalid.
        """
        for name in (CONSENT, WITHDRAWAL):
            if not (directory / name).is_file():
                raise RatingError(
                    f"{directory / name} is missing: write into it what raters are told about "
                    f"{'taking part' if name == CONSENT else 'withdrawing'}"
                )
        return cls.read(directory / CONSENT, directory / WITHDRAWAL)

    @classmethod
    def read(cls, consent: Path | None = None, withdrawal: Path | None = None) -> Terms:
        """Read texts from files.

        Args:
            consent: File of the text that a rater agrees to, in UTF-8; the default text if None.
            withdrawal: File of the text about withdrawal; the default text if None.

        Returns:
            The texts.

        Raises:
            RatingError: if a file is no text in UTF-8, empty, or longer than ``LONGEST_TEXT`` characters.
            OSError: if a file cannot be read.
        """
        return cls(_read(consent, CONSENT), _read(withdrawal, WITHDRAWAL))

    def agreeing(self) -> str:
        """Answer that records agreement."""
        return _AGREED + self.version

    def withdrawing(self) -> str:
        """Answer that records withdrawal."""
        return _WITHDRAWN + version_of(self.withdrawal)


def version_of(text: str) -> str:
    """Compute the version of a text: the first 12 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def paragraphs(text: str) -> list[str]:
    """Split a text into paragraphs."""
    return [stripped for part in text.split("\n\n") if (stripped := part.strip())]


def agreed_to(answers: Mapping[int, Mapping[str, Answer]]) -> str:
    """Return the version of the text that a rater last agreed to; empty for none, or after withdrawal."""
    said = _said(answers)
    return said.removeprefix(_AGREED) if said.startswith(_AGREED) else ""


def withdrawn(answers: Mapping[int, Mapping[str, Answer]]) -> bool:
    """Check whether a rater has withdrawn."""
    return _said(answers).startswith(_WITHDRAWN)


def _said(answers: Mapping[int, Mapping[str, Answer]]) -> str:
    said = answers.get(0, {}).get(PARTICIPATION)
    return "" if said is None else str(said.value)


def _read(path: Path | None, name: str) -> str:
    raw = (resources.files("evaluation.rating") / name).read_bytes() if path is None else path.read_bytes()
    try:
        text = plain_text(raw.decode("utf-8-sig")).strip()
    except UnicodeDecodeError as error:
        raise RatingError(f"{path or name} is no text in UTF-8 ({error}); save it as UTF-8") from error
    if not 0 < len(text) <= LONGEST_TEXT:
        raise RatingError(f"{path or name} has {len(text)} characters; raters can be told 1 to {LONGEST_TEXT}")
    return text + "\n"
