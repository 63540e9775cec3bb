"""Starting of llama.cpp in this process for a GGUF file: slots, context and threads."""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from language_models.arguments import RESUMABLE
from language_models.gguf_header import check_complete
from language_models.local.adapters import check_adapter
from language_models.local.cancellable_request import CancellableRequest
from language_models.local.trial_load import check_loads
from language_models.packages import check_installed, smollm2_path
from language_models.protocol import PromptTooLong, Usage

CONTEXT = 1024
"""Tokens that a request may take where nothing else is said: a third more than of SmolLM2, for models that cut words
smaller."""
CONTEXT_OF_SMOLLM2 = 768
CONTEXT_OF_INSTRUCTED = 2048
"""Default context for instructed models, whose prompts are longer."""
SPINS = "1000"
"""Rounds that a thread spins before it sleeps until the others are as far: those that libgomp takes where it knows of
more threads than cores."""
ROOM_FOR_AN_ANSWER = 128
"""Tokens reserved for an answer in the message about a prompt that is too long."""


class Served(NamedTuple):
    """A running llama.cpp server and its context sizes.

    Attributes:
        server: The llama.cpp server.
        context: Tokens that each request may take, prompt and answer together.
        trained: Tokens that the model was trained with, as its file says.
    """

    server: Any
    context: int
    trained: int


def serve(
    path: Path,
    *,
    slots: int,
    context: int | None,
    usual: int,
    threads: int | None,
    adapter: Path | None = None,
    caches: bool = True,
) -> Served:
    """Start llama.cpp for a file.

    Args:
        path: A GGUF file.
        slots: Requests that run at once, at least 1.
        context: Tokens of each; None for `usual`, or what the model was trained with where that is less.
        usual: Tokens of each where `context` is None.
        threads: CPU threads; None for as many as there are cores.
        adapter: A GGUF file that is added to the weights.
        caches: Whether to keep cached prompt prefixes after another request has taken their slot.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it is no GGUF file, llama.cpp cannot load it, or a number is out of range.
        ModuleNotFoundError: if llama.cpp is not installed; the message has the command that installs it.
    """
    check_installed("a GGUF file", "xllamacpp")
    xllamacpp = import_llama_cpp()
    _check_file(path)
    for what, value, least in (("slots", slots, 1), ("context", context, 16), ("threads", threads, 1)):
        if value is not None and value < least:
            raise ValueError(f"{what} must be at least {least}, got {value}")
    asked = usual if context is None else context
    cores = threads if threads is not None else available_cores()
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    if adapter is not None:
        check_adapter(adapter, path)
        lora = xllamacpp.CommonAdapterLoraInfo()
        lora.path, lora.scale = str(adapter), 1.0
        parameters.lora_adapters = [lora]
    parameters.n_parallel = slots
    parameters.n_ctx = slots * asked
    # One for each request that may be under way, so that all of them wait for slots, and some for small questions.
    parameters.n_threads_http = 2 * slots + 4
    parameters.cpuparams.n_threads = cores
    parameters.cpuparams_batch.n_threads = cores
    # Threads sleep while there is nothing to do; how they wait for each other, see `import_llama_cpp`.
    parameters.cpuparams.poll = 0
    parameters.cpuparams_batch.poll = 0
    parameters.cache_ram_mib = 128 if caches else 0
    parameters.warmup = False
    parameters.verbosity = -1
    try:
        server = xllamacpp.Server(parameters)
    except (RuntimeError, ValueError) as error:
        added = f" and the adapter {adapter}" if adapter is not None else ""
        raise ValueError(
            f"llama.cpp could not load {path}{added} with {slots} slots of {asked} tokens: {error}"
        ) from error
    about = CancellableRequest("/v1/models", None).run(server.listening_address)["data"][0]["meta"]
    trained = int(about["n_ctx_train"])
    if context is not None and context > trained:
        let_begin(server)
        raise ValueError(f"context must be at most {trained}, what {path.name} was trained with, got {context}")
    return Served(server, min(asked, trained), trained)


def import_llama_cpp() -> Any:
    """Import xllamacpp with threads that spin for ``SPINS`` rounds, unless the environment sets how they wait.

    libgomp, by which they wait for each other some hundred times a token, has 300,000. Where the machine has other
    work, a thread that spins takes the time of the one that it waits for. It reads the environment as it is loaded, and
    nothing else is to wait so.
    """
    says = any(name in os.environ for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY"))
    if not says:
        os.environ["GOMP_SPINCOUNT"] = SPINS
    try:
        return import_module("xllamacpp")
    finally:
        if not says:
            del os.environ["GOMP_SPINCOUNT"]


def too_long(name: str, prompt: int, context: int, trained: int, usage: Usage) -> PromptTooLong:
    """Return the error for a prompt that, with its answer, does not fit into the context.

    Args:
        name: The model's name.
        prompt: Its tokens.
        context: Tokens that a request may take.
        trained: Tokens that the model was trained with.
        usage: Cost of the failed call.
    """
    needed = -(-(prompt + ROOM_FOR_AN_ANSWER) // 256) * 256
    remedy = f"set context = {needed} {RESUMABLE}"
    if needed > trained:
        remedy = f"it was trained with {trained} at most: go on with another model by irollan branch --model"
    return PromptTooLong(
        f"{name}: a prompt of {prompt} tokens and its answer do not fit into the context of {context}; {remedy}",
        usage=usage,
    )


def let_begin(server: Any) -> None:
    """Wait until llama.cpp takes requests from its queue; closing it earlier would deadlock."""
    body = json.dumps({"prompt": "a", "max_tokens": 1})
    CancellableRequest("/v1/completions", body).run(server.listening_address)


def available_cores() -> int:
    """Return the number of cores that this process may use, or that the machine has if the system does not say."""
    affinity = getattr(os, "sched_getaffinity", None)  # Linux has this function; macOS and Windows do not.
    return os.cpu_count() or 1 if affinity is None else max(1, len(affinity(0)))


def _check_file(path: Path) -> None:
    if not path.is_file():
        raise FileNotFoundError(f"model file {str(path)!r} does not exist; give the path of a GGUF file, or smollm2")
    with path.open("rb") as file:
        magic = file.read(4)
    if magic != b"GGUF":
        raise ValueError(f"{str(path)!r} is no GGUF file: it begins with {magic!r} where b'GGUF' is expected")
    check_complete(path)
    if path.resolve() != _installed():
        check_loads(path)


def _installed() -> Path | None:
    """Return the file that comes with an installed package, which needs no trial; None without one."""
    try:
        return smollm2_path().resolve()
    except FileNotFoundError:
        return None
