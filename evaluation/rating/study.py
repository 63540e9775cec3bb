"""Files of a rating study: the stories, their order for each rater, and the unblinding key."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Container, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluation.rating.rating_scale import ATTENTION_CHECK, DIMENSIONS
from evaluation.rating.stories import StoryStep
from evaluation.records.files import nearby, write_atomically

STUDY, KEY, TOKENS, ANSWERS = "study.json", "key.json", "tokens.json", "answers.sqlite"


class RatingError(ValueError):
    """Error about runs that cannot be rated together, or a directory that is no study, with the remedy."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """Attention check: a note in a story that asks its reader for a given number.

    Attributes:
        step: The time step after which it is shown, from 1.
        answer: The number, 1 to 7.
    """

    step: int
    answer: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One resident of one society to be rated by one rater.

    Attributes:
        story: Identifier of the society, which does not reveal its run.
        society: Position of the society in the rater's order, from 1.
        resident: The resident.
        check: Its attention check; None in most.
    """

    story: str
    society: int
    resident: str
    check: Check | None = None

    @property
    def questions(self) -> tuple[str, ...]:
        """Questions that must be answered."""
        return (*DIMENSIONS, ATTENTION_CHECK) if self.check is not None else DIMENSIONS

    def missing(self, answered: Container[str]) -> list[str]:
        """Return the questions that are not among those answered."""
        return [question for question in self.questions if question not in answered]


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study without its unblinding key.

    Attributes:
        steps: Time steps of every story.
        minutes: Estimated workload of each rater, in minutes.
        stories: Steps by story and resident.
        items: Items of each rater, in order.
        tokens: Secret of each rater's link.
    """

    steps: int
    minutes: Mapping[str, float]
    stories: Mapping[str, Mapping[str, tuple[StoryStep, ...]]]
    items: Mapping[str, tuple[Item, ...]]
    tokens: Mapping[str, str]

    def rated(self, rater: str, answers: Mapping[int, Container[str]]) -> list[int]:
        """Return the numbers, from 1, of the items of which a rater has answered every question.

        Args:
            rater: The rater.
            answers: The rater's answers, by item.

        Returns:
            Ascending numbers.
        """
        packet = enumerate(self.items[rater], 1)
        return [number for number, item in packet if not item.missing(answers.get(number, ()))]

    @cached_property
    def rater_of(self) -> Mapping[str, str]:
        """The rater of each token."""
        return {token: rater for rater, token in self.tokens.items()}

    def moments(self, item: Item) -> tuple[StoryStep, ...]:
        """Return the story of an item."""
        return self.stories[item.story][item.resident]

    def save(self, directory: Path, key: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        """Write a new study atomically.

        Args:
            directory: A new path or an empty directory.
            key: The run and architecture of every story; kept in a file of its own.
            texts: Consent texts by file name.
        """
        beside = directory.with_name(f".{directory.name}.{secrets.token_hex(4)}.new")
        beside.mkdir(parents=True)
        data = {
            "steps": self.steps,
            "minutes": dict(self.minutes),
            "raters": {rater: [asdict(item) for item in items] for rater, items in self.items.items()},
            "stories": {
                story: {resident: [asdict(moment) for moment in moments] for resident, moments in residents.items()}
                for story, residents in self.stories.items()
            },
        }
        files = {
            name: json.dumps(content, ensure_ascii=False, indent=1) + "\n"
            for name, content in ((STUDY, data), (KEY, key), (TOKENS, self.tokens))
        }
        for name, text in {**files, **texts}.items():
            (beside / name).touch(mode=0o600)
            write_atomically(beside / name, text.encode())
            (beside / name).chmod(0o600)
        os.replace(beside, directory)

    @classmethod
    def load(cls, directory: Path) -> Study:
        """Read a study.

        Raises:
            RatingError: if there is none, or it is damaged.
        """
        data, tokens = _read(directory, STUDY), _read(directory, TOKENS)
        try:
            items = {
                rater: tuple(
                    Item(**{**item, "check": None if item["check"] is None else Check(**item["check"])})
                    for item in entries
                )
                for rater, entries in data["raters"].items()
            }
            stories = {
                story: {
                    resident: tuple(StoryStep.from_json(moment) for moment in moments)
                    for resident, moments in residents.items()
                }
                for story, residents in data["stories"].items()
            }
            study = cls(steps=data["steps"], minutes=data["minutes"], stories=stories, items=items, tokens=dict(tokens))
            for rater, own in items.items():
                _ = tokens[rater], study.minutes[rater], [study.moments(item) for item in own]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RatingError(f"{directory} is a damaged study: {error!r}; prepare it anew") from error
        return study


def load_study(directory: Path) -> tuple[Study, dict[str, dict[str, Any]]]:
    """Read a study with the run and architecture of every story.

    Raises:
        RatingError: if the study or its key is missing or damaged, or they do not belong together.
    """
    study, key = Study.load(directory), _read(directory, KEY).get("stories")
    if not isinstance(key, dict):
        raise RatingError(f"{directory / KEY} is damaged: it lacks 'stories'")
    if missing := [story for story in study.stories if story not in key]:
        raise RatingError(f"the key of {directory} does not belong to it: it lacks {missing[0]!r}")
    return study, key


def _read(directory: Path, name: str) -> dict[str, Any]:
    path = directory / name
    if not path.is_file():
        if not directory.exists() and (near := nearby(directory, lambda one: (one / STUDY).is_file())) is not None:
            raise RatingError(f"there is no study {directory}; did you mean {near}?")
        what = "there is no study" if name == STUDY else "the study is not whole"
        raise RatingError(f"{what}: {path} is missing; irollan rate prepare makes one")
    try:
        data = json.loads(path.read_bytes())
    except ValueError as error:
        raise RatingError(f"{path} is damaged: {error}") from error
    if not isinstance(data, dict):
        raise RatingError(f"{path} is damaged: it must be a JSON object")
    return data
