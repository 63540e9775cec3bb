"""Model that runs a Hugging Face folder in torch, on a CPU or a GPU, one request at a time."""

from __future__ import annotations

import asyncio
import copy
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from language_models.arguments import check_asks, check_continuations, check_no_thinking, check_options
from language_models.base_model import BaseModel, cut_at, fault
from language_models.grammar import compile_grammar
from language_models.json_answers import read_object, write_object
from language_models.local.deadline import check_deadline, deadline
from language_models.packages import check_installed
from language_models.protocol import (
    Attempt,
    Caller,
    Choice,
    GenerateRequest,
    Generation,
    ModelError,
    ModelUnavailable,
    Scores,
    Usage,
    total_usage,
)

NEUTRAL = "I want to live well."
ResultT = TypeVar("ResultT")


class TransformersModel(BaseModel):
    """A causal language model from a folder in Hugging Face format.

    It has no grammars: a text is checked against its pattern, and one that does not pass is generated again, `asks`
    times in all, each counted as a retry. It chooses by calibrated log-probabilities: how much likelier the prompt
    makes an option than a neutral sentence does, a token.

    Attributes:
        name: "transformers:" and the name of the folder.
        path: The folder.
        device: The torch device, such as "cpu" or "cuda".
    """

    def __init__(self, path: str | Path, *, device: str | None = None, asks: int = 3, deadline: float = 1800.0) -> None:
        """Load the weights.

        Args:
            path: A folder with config.json, tokenizer files and weights.
            device: The torch device; by default a GPU if there is one.
            asks: Attempts in total to get a text that obeys its pattern.
            deadline: Seconds that a call may take, waiting for those of all others included, since one runs at a time.

        Raises:
            FileNotFoundError: if there is no model in the folder.
            ValueError: if asks is below 1, or deadline not above 0.
            ModelUnavailable: if its chat template is broken.
            ModuleNotFoundError: if torch or transformers is not installed; the message has the install command.
        """
        check_installed("a Hugging Face folder", "torch", "transformers")
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self._asks = check_asks(asks)
        self._deadline = check_deadline(deadline)
        self.path = Path(path)
        if not (self.path / "config.json").is_file():
            raise FileNotFoundError(f"no model in {self.path}: it has no config.json")
        self.name = f"transformers:{self.path.resolve().name}"
        self.device = device if device is not None else "cuda" if torch.cuda.is_available() else "cpu"
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(self.path, local_files_only=True)
            self._check_template()
            model: Any = AutoModelForCausalLM.from_pretrained(self.path, local_files_only=True)
        except (OSError, ValueError) as error:
            raise FileNotFoundError(f"no model that transformers reads in {self.path}: {error}") from error
        self._model = model.to(self.device).eval()
        self._context: int | None = getattr(model.config, "max_position_embeddings", None)
        self._under_way: set[threading.Event] = set()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="transformers")

    async def generate(self, request: GenerateRequest) -> Generation:
        """Continue a prompt, as a chat message if the model has a chat template."""
        check_no_thinking(self.name, request.think)
        if request.vocabulary is not None:
            raise ValueError(f"{self.name} cannot keep to a vocabulary; leave it out, or use the embedded model")
        schema = request.schema
        expression = None if request.pattern is None else compile_grammar(request.pattern)
        usage, reason = Usage(), ""
        try:
            async with deadline(self.name, self._deadline):
                for asked in range(self._asks):
                    texts, more = await self._run(partial(self._write, request, request.seed + asked))
                    usage = total_usage([usage, more], asked_again=int(asked > 0))
                    bad = [(one, wrong) for one in texts if (wrong := fault(one, request, expression))]
                    if not bad:
                        if schema is not None:
                            texts = [write_object(read_object(one, schema)) for one in texts]
                        return Generation(text=texts[0], usage=usage, alternatives=tuple(texts[1:]))
                    text, wrong = bad[0]
                    reason = f"{text[:200]!r}, which {wrong}"
                    attempt = Attempt(kind="unusable", reason=wrong, text=text)
                    usage = replace(usage, attempts=(*usage.attempts, attempt))
        except ModelUnavailable as error:
            error.usage = replace(usage, seconds=max(usage.seconds, error.usage.seconds))
            raise
        raise ModelError(f"{self.name} gave no usable text in {self._asks} asks; the last was {reason}", usage=usage)

    async def choose(
        self, prompt: str, options: Sequence[str], *, caller: Caller, query: str = "", descriptions: Sequence[str] = ()
    ) -> Choice:
        """Choose by calibrated log-probabilities, averaged over the tokens of an option."""
        check_options(options, descriptions)
        meanings = [f" {text.strip()}" for text in (descriptions or options)]
        asked = "\n".join(part for part in (prompt, query) if part)
        async with deadline(self.name, self._deadline):
            (given, lengths), usage = await self._run(partial(self._log_probabilities, asked, meanings))
            (neutral, _), more = await self._run(partial(self._log_probabilities, NEUTRAL, meanings))
        values = (np.array(given) - np.array(neutral)) / np.array(lengths)
        weights = np.exp(values - values.max())
        best = max(range(len(options)), key=lambda place: (values[place], options[place]))
        probabilities = tuple(float(weight) for weight in weights / weights.sum())
        return Choice(option=options[best], probabilities=probabilities, usage=total_usage([usage, more]))

    async def score(self, prompt: str, continuations: Sequence[str], *, caller: Caller) -> Scores:
        """Return the log-probability of each continuation in its usual tokenisation."""
        check_continuations(continuations)
        async with deadline(self.name, self._deadline):
            (values, _), usage = await self._run(partial(self._log_probabilities, prompt, continuations))
        return Scores(values=tuple(values), usage=usage)

    def close(self) -> None:
        """Cancel all requests, and end the worker thread; the weights are freed with the object."""
        for given_up in list(self._under_way):
            given_up.set()
        self._worker.shutdown(cancel_futures=True)
        super().close()

    async def _run(self, compute: Callable[[threading.Event], tuple[ResultT, Usage]]) -> tuple[ResultT, Usage]:
        """Run a computation in the worker thread, and measure waiting and working time.

        Args:
            compute: Takes an event that is set when the call was cancelled.
        """
        asked, given_up = time.perf_counter(), threading.Event()

        def work() -> tuple[ResultT, Usage]:
            began = time.perf_counter()
            result, usage = compute(given_up)
            return result, replace(usage, seconds=time.perf_counter() - asked, waiting=began - asked)

        self._under_way.add(given_up)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._worker, work)
        finally:
            given_up.set()
            self._under_way.discard(given_up)

    def _write(self, request: GenerateRequest, seed: int, given_up: threading.Event) -> tuple[list[str], Usage]:
        import torch
        from transformers import StoppingCriteriaList

        max_tokens, temperature, samples = request.max_tokens, request.temperature, request.samples

        def ended(input_ids: Any, *_: Any, **__: Any) -> Any:
            """Return whether to stop; called after each token."""
            return torch.full((len(input_ids),), given_up.is_set(), dtype=torch.bool, device=input_ids.device)

        talks = bool(getattr(self._tokenizer, "chat_template", None))
        text = request.prompt
        if talks:
            text = self._in_template(text)
        # The chat template already contains the token that begins a text.
        tokens = self._tokenizer(text, add_special_tokens=not talks, return_tensors="pt").to(self.device)
        sampling = {"do_sample": True, "temperature": temperature} if temperature > 0 else {"do_sample": False}
        self._check_length(tokens["input_ids"].shape[1] + max_tokens)
        # transformers draws from torch's global generator: its state is restored.
        with torch.random.fork_rng(), torch.inference_mode():
            torch.manual_seed(seed)
            written = self._model.generate(
                input_ids=tokens["input_ids"],
                attention_mask=tokens["attention_mask"],
                max_new_tokens=max_tokens,
                num_return_sequences=samples if temperature > 0 else 1,
                pad_token_id=self._tokenizer.pad_token_id or self._tokenizer.eos_token_id or 0,
                stopping_criteria=StoppingCriteriaList([ended]),
                **sampling,
            )
        length = tokens["input_ids"].shape[1]
        texts = [self._tokenizer.decode(row[length:], skip_special_tokens=True) for row in written]
        texts = [cut_at(text, request.stop) for text in texts]
        usage = Usage(prompt_tokens=length, generated_tokens=int(written[:, length:].numel()))
        return (texts if temperature > 0 else texts * samples), usage

    def _in_template(self, text: str) -> str:
        """Return a text as a message of a user, in the chat template.

        Raises:
            ModelUnavailable: if the template gives no text.
        """
        messages = [{"role": "user", "content": text}]
        try:
            found = self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        except Exception as error:  # Jinja runs what the template says, which may raise anything.
            why = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            raise ModelUnavailable(
                f"the chat template of {self.path} cannot be used: {why}; correct chat_template in its "
                "tokenizer_config.json, or its chat_template.jinja"
            ) from error
        return str(found)

    def _check_template(self) -> None:
        """Check that the chat template, if there is one, gives a text.

        Raises:
            ModelUnavailable: if it does not.
        """
        if getattr(self._tokenizer, "chat_template", None):
            self._in_template("Hello.")

    def _check_length(self, tokens: int) -> None:
        """Check that the model's context holds so many tokens; beyond it the output is meaningless."""
        if self._context is not None and tokens > self._context:
            raise ModelUnavailable(
                f"{self.name} reads at most {self._context} tokens, and this takes {tokens}; use a model with a longer "
                "context"
            )

    def _log_probabilities(
        self, prompt: str, texts: Sequence[str], given_up: threading.Event
    ) -> tuple[tuple[list[float], list[int]], Usage]:
        """Return the log-probability and number of tokens of each text; the prompt is read once."""
        import torch

        head = self._tokenizer(prompt)["input_ids"] or [self._tokenizer.bos_token_id or 0]
        tails = [self._tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
        for text, tail in zip(texts, tails, strict=True):
            if not tail:
                raise ModelError(f"{self.name} has no tokens for {text!r}")
            self._check_length(len(head) + len(tail))
        values = []
        with torch.inference_mode():
            read = self._model(torch.tensor([head], device=self.device), use_cache=True, logits_to_keep=1)
            for tail in tails:
                if given_up.is_set():
                    raise ModelError(f"{self.name} was stopped")
                ids = torch.tensor([tail], device=self.device)
                logits = read.logits[0, -1:]
                if len(tail) > 1:
                    rest = self._model(ids[:, :-1], past_key_values=copy.deepcopy(read.past_key_values))
                    logits = torch.cat([logits, rest.logits[0]])
                values.append(float(torch.log_softmax(logits.double(), dim=-1).gather(1, ids[0, :, None]).sum()))
        lengths = [len(tail) for tail in tails]
        usage = Usage(
            prompt_tokens=len(head) * len(texts),
            cached_tokens=len(head) * (len(texts) - 1),
            generated_tokens=sum(lengths),
        )
        return (values, lengths), usage
