"""Rule-based model: every answer is computed from the request, the same on every machine.

It serves the tests and `--model scripted`, and needs no weights. Its texts have form but no meaning: runs with it show
that a society works, never how people behave.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from language_models.arguments import check_continuations, check_options
from language_models.base_model import BaseModel, cut_at
from language_models.grammar import compile_grammar
from language_models.grammar_sampling import sample_grammar
from language_models.json_answers import UnusableObject, read_object, write_object
from language_models.protocol import Attempt, Caller, Choice, GenerateRequest, Generation, ModelError, Scores, Usage
from language_models.token_counts import TOKEN, count_tokens

Writer: TypeAlias = Callable[[str, int], str]
"""Writes the text of one module: (prompt, seed) -> text."""

Output: TypeAlias = str | Sequence[float]
"""One planned answer: a text or an option for `generate` and `choose`, log-probabilities for `score`."""

Draw = Callable[[int, str], int]
"""A number below the first argument that depends on the request and the second argument only."""

Sentence = Callable[[str], str]
"""A sentence that depends on the request and the argument only."""

_NAME = re.compile(r"(?<![.!?\n] )(?<!^)\b[A-Z][a-z]{2,}\b", re.MULTILINE)
_WORD = re.compile(r"\b[a-z]{5,}\b")


def stable_hash(*parts: str | int) -> int:
    """Return a 64-bit hash of the parts, the same in every process and on every machine."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")


def pick(options: Sequence[str], *parts: str | int) -> str:
    """Pick one of the options by a stable hash of the parts."""
    if not options:
        raise ValueError("pick needs at least one option, got none")
    return options[stable_hash(*parts) % len(options)]


def subject(prompt: str, seed: int) -> str:
    """Pick a name or a longer word from the last lines of the prompt; "this" if there is none.

    Args:
        prompt: Text to continue.
        seed: Decides between several words.
    """
    ending = "\n".join(prompt.splitlines()[-6:])
    words = sorted(set(_NAME.findall(ending)) or set(_WORD.findall(ending)))
    return pick(words, "subject", prompt, seed) if words else "this"


def write_sentence(prompt: str, seed: int) -> str:
    """Write one plain sentence about something in the prompt; the default writer of a module.

    Args:
        prompt: Text to continue.
        seed: Decides between several sentences.
    """
    form = pick(
        (
            "I keep thinking about {}.",
            "I want to know more about {}.",
            "It may be best to look after {} first.",
            "Nothing about {} seems settled yet.",
            "Someone should talk about {}.",
        ),
        "sentence",
        prompt,
        seed,
    )
    return form.format(subject(prompt, seed))


WRITERS: Mapping[str, Writer] = {}
"""Default writers by module; any other module gets a text of its pattern, or `write_sentence`."""


class ScriptedModel(BaseModel):
    """Answers by stable hashes, from a table, or from a list of planned outputs.

    A text comes from the first of these that applies: `outputs`, `answers`, the module's writer, the schema or pattern
    asked for (any text that it allows), `write_sentence`. It is then cut at the first stop string and at `max_tokens`,
    and checked against the pattern; with a schema, it is not cut, and read as an object of it. A token is a word or a
    mark; time is never measured, so that two runs record the same bytes.

    Attributes:
        name: Name in the transcript.
        calls: Calls made so far, failed ones included.
    """

    def __init__(
        self,
        *,
        outputs: Iterable[Output] | None = None,
        answers: Sequence[tuple[str, Sequence[str]]] = (),
        writers: Mapping[str, Writer] | None = None,
        fail_on: Collection[int] | Callable[[Caller, str], bool] = (),
        name: str = "scripted",
    ) -> None:
        """Set the planned outputs, answers, writers and failures.

        Args:
            outputs: One answer per call, whatever the request; the call after the last one fails. A planted failure
                uses none up.
            answers: Pairs of a regular expression and the texts to pick from where it is found in the prompt.
            writers: Writers by module name, which extend and override WRITERS.
            fail_on: Numbers of calls that fail, from 0, or a function of caller and prompt.
            name: Name in the transcript.

        Raises:
            ValueError: if an answer's expression does not parse or it has no texts.
        """
        self.name = name
        self.calls = 0
        self._outputs = None if outputs is None else deque(outputs)
        self._answers = [_answer(expression, texts) for expression, texts in answers]
        self._writers = {**WRITERS, **(writers or {})}
        self._fail_on = fail_on

    async def generate(self, request: GenerateRequest) -> Generation:
        """Write texts; `temperature` 0 ignores the seed, a planned output is every sample, a vocabulary is ignored."""
        caller, schema = request.caller, request.schema
        output, usage = self._ask(caller, request.prompt)
        if output is not None and not isinstance(output, str):
            raise ModelError(f"scripted output {output!r} is no text, which generate needs", usage=usage)
        texts = [
            self._write(request, request.seed + sample if request.temperature > 0 else 0) if output is None else output
            for sample in range(request.samples)
        ]
        if schema is None:
            texts = [_cut(text, request.max_tokens, request.stop) for text in texts]
            for text in texts:
                self._check(text, caller.module, request.pattern, usage)
        else:
            texts = [_obeying(text, caller.module, schema, usage) for text in texts]
        usage = replace(usage, generated_tokens=sum(count_tokens(text) for text in texts))
        return Generation(text=texts[0], usage=usage, alternatives=tuple(texts[1:]))

    async def choose(
        self, prompt: str, options: Sequence[str], *, caller: Caller, query: str = "", descriptions: Sequence[str] = ()
    ) -> Choice:
        """Choose the likeliest option; probabilities depend on prompt and option, not on the order of the options."""
        check_options(options, descriptions)
        output, usage = self._ask(caller, prompt)
        usage = replace(usage, generated_tokens=1)
        if output is not None:
            if output not in options:
                raise ModelError(f"scripted output {output!r} is none of the options {list(options)!r}", usage=usage)
            certain = tuple(float(option == output) for option in options)
            return Choice(option=str(output), probabilities=certain, usage=usage)
        weights = [math.exp(3 * _unit("choose", prompt, option)) for option in options]
        total = math.fsum(weights)
        probabilities = tuple(weight / total for weight in weights)
        best = max(range(len(options)), key=lambda place: (probabilities[place], options[place]))
        return Choice(option=options[best], probabilities=probabilities, usage=usage)

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        """Return deterministic log-probabilities, -3 to -1 nats per token."""
        check_continuations(continuations)
        output, usage = self._ask(caller, prompt)
        lengths = [max(1, count_tokens(text)) for text in continuations]
        usage = replace(usage, generated_tokens=sum(lengths))
        if output is not None:
            if isinstance(output, str) or len(output) != len(continuations):
                raise ModelError(
                    f"scripted output {output!r} is not the {len(continuations)} numbers that score needs", usage=usage
                )
            return Scores(values=tuple(float(value) for value in output), usage=usage)
        values = (-n * (1 + 2 * _unit("score", prompt, text)) for n, text in zip(lengths, continuations, strict=True))
        return Scores(values=tuple(values), usage=usage)

    @staticmethod
    def _check(text: str, module: str, pattern: str | None, usage: Usage) -> None:
        if not text.strip():
            raise ModelError(f"the scripted text for module {module!r} is empty", usage=usage)
        if pattern is not None and compile_grammar(pattern).fullmatch(text) is None:
            raise ModelError(
                f"the scripted text {text!r} for module {module!r} does not obey the pattern asked for; "
                f"change the writer of this module, or the text that was planned",
                usage=usage,
            )

    def _ask(self, caller: Caller, prompt: str) -> tuple[Output | None, Usage]:
        """Count the call, raise a planted failure, and return the planned output if there is one."""
        number, usage = self.calls, Usage(prompt_tokens=count_tokens(prompt))
        self.calls += 1
        failing = self._fail_on(caller, prompt) if callable(self._fail_on) else number in self._fail_on
        who = f"module {caller.module!r}, resident {caller.resident!r}, time {caller.time}"
        if failing:
            raise ModelError(f"planted failure of scripted call {number} ({who})", usage=usage)
        if self._outputs is None:
            return None, usage
        if not self._outputs:
            raise ModelError(f"the scripted outputs ran out before call {number} ({who})", usage=usage)
        return self._outputs.popleft(), usage

    def _write(self, request: GenerateRequest, seed: int) -> str:
        module, prompt, pattern, schema = request.caller.module, request.prompt, request.pattern, request.schema
        for expression, texts in self._answers:
            if expression.search(prompt):
                return pick(texts, "answer", prompt, seed)
        if pattern is not None and module not in self._writers:
            return sample_grammar(pattern, prompt, seed)
        if schema is not None and module not in self._writers:
            return write_object(
                object_by_rule(
                    schema,
                    lambda count, where: stable_hash("object", where, prompt, seed) % count,
                    lambda where: write_sentence(prompt, stable_hash(where, seed)),
                )
            )
        return self._writers.get(module, write_sentence)(prompt, seed)


def _obeying(text: str, module: str, schema: Mapping[str, Any], usage: Usage) -> str:
    """Read a text as an object of a schema, and return it in canonical form.

    Raises:
        ModelError: if it is none; a retry would give the same text.
    """
    try:
        return write_object(read_object(text, schema))
    except UnusableObject as error:
        raise ModelError(
            f"the scripted text {text[:200]!r} for module {module!r} {error}; change the writer of this module, or the "
            "text that was planned",
            usage=replace(usage, attempts=(Attempt(kind="unusable", reason=str(error), text=text),)),
        ) from None


def _answer(expression: str, texts: Sequence[str]) -> tuple[re.Pattern[str], list[str]]:
    if isinstance(texts, str) or not texts:
        raise ValueError(f"answers for {expression!r} must be a list of at least one text, got {texts!r}")
    try:
        return re.compile(expression), list(texts)
    except re.error as error:
        raise ValueError(f"answers: {expression!r} is no regular expression: {error}") from None


def _unit(*parts: str) -> float:
    """Return a number in [0, 1) from a stable hash."""
    return stable_hash(*parts) / 2**64


def _cut(text: str, max_tokens: int, stop: Sequence[str]) -> str:
    text = cut_at(text, stop)
    tokens = list(TOKEN.finditer(text))
    return text if len(tokens) <= max_tokens else text[: tokens[max_tokens - 1].end()]


def object_by_rule(schema: Mapping[str, Any], draw: Draw, sentence: Sentence) -> dict[str, Any]:
    """Make an object that obeys a schema.

    Strings are sentences, cut at a word's end where they are too long and filled up with full stops where they are too
    short; integers lie anywhere in their range; an array has one item or two, as far as its bounds let it, or, where
    its items are an enum and unique, all of that in a drawn order, as far as there is room.

    Args:
        schema: One that passes ``json_answers.check_schema``.
        draw: Draws a number for each free choice.
        sentence: Writes sentences for strings.
    """
    return {key: _value_by_rule(form, key, draw, sentence) for key, form in schema["properties"].items()}


def _value_by_rule(form: Mapping[str, Any], where: str, draw: Draw, sentence: Sentence) -> Any:
    if "enum" in form:
        return form["enum"][draw(len(form["enum"]), where)]
    match form["type"]:
        case "integer":
            return form["minimum"] + draw(form["maximum"] - form["minimum"] + 1, where)
        case "array":
            return _array_by_rule(form, where, draw, sentence)
        case _:
            return _text_by_rule(form, where, sentence)


def _array_by_rule(form: Mapping[str, Any], where: str, draw: Draw, sentence: Sentence) -> list[Any]:
    items, unique = form["items"], form.get("uniqueItems", False)
    least, most = form.get("minItems", 0), form.get("maxItems", 2)
    if unique and "enum" in items:
        drawn = sorted(items["enum"], key=lambda one: (draw(2**32, f"{where} {one}"), one))
        return drawn[: form.get("maxItems", len(drawn))]
    count = max(least, min(most, 1 + draw(2, where)))
    return [_value_by_rule(items, f"{where} {n}", draw, sentence) for n in range(count)]


def _text_by_rule(form: Mapping[str, Any], where: str, sentence: Sentence) -> str:
    text = sentence(where)
    if len(text) > (most := form.get("maxLength", len(text))):
        text = text[:most].rpartition(" ")[0] or text[:most]
    return text.ljust(form.get("minLength", 0), ".")
