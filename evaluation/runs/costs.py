"""Cost of a run: calls, tokens and US dollars, from its transcript and the recorded prices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from evaluation.records.interactions import Record
from evaluation.records.run_directory import RunDirectory
from language_models.model_names import ModelKind, kind_of
from language_models.prices import Price, price_of
from language_models.transcript.calls import ModuleUsage
from language_models.transcript.transcript import Transcript

AUXILIARY = ("elimination", "protention", "matrix")
"""Modules whose requests a decision can do without."""


def cost_of(usage: Iterable[ModuleUsage], prices: Mapping[str, Price]) -> float | None:
    """Compute the cost of calls in US dollars; None if the price of a model is unknown.

    Args:
        usage: By model.
        prices: By model.
    """
    total = 0.0
    for one in usage:
        if (price := price_of(one.model, prices)) is None:
            return None
        total += price.of(one.prompt_tokens, one.cached_tokens, one.generated_tokens)
    return total


def cost_in_all(transcript: Transcript, prices: Mapping[str, Price]) -> float | None:
    """Compute the whole cost of a run in US dollars, with calls that a resume discarded; None if a price is unknown.

    Args:
        transcript: Of the run.
        prices: By model.
    """
    return cost_of([*transcript.costs.by_model(), *transcript.costs.rewound()], prices)


def cost_by_module(usage: Iterable[ModuleUsage], prices: Mapping[str, Price]) -> dict[str, float]:
    """Compute the cost of each module's calls in US dollars, where all prices are known.

    Args:
        usage: By module and model, sorted.
        prices: By model.
    """
    costs = {module: cost_of(rows, prices) for module, rows in groupby(usage, attrgetter("module"))}
    return {module: cost for module, cost in costs.items() if cost is not None}


def prices_of(manifest: Mapping[str, Any]) -> dict[str, Price]:
    """Return the prices recorded when the run started."""
    return {name: Price(**price) for name, price in manifest.get("prices", {}).items()}


def embeddings_of(manifest: Mapping[str, Any]) -> ModuleUsage:
    """Return the cost of a run's embeddings at an address; zero calls where they were computed here."""
    return ModuleUsage(**manifest.get("embeddings", {"module": "embeddings"}))


def uncounted(transcript: Transcript) -> list[str]:
    """List the models at an address whose server left token counts out of an answer, sorted."""
    # Models in this process count what they compute, which may be nothing.
    return [model for model in transcript.costs.uncounted_models() if kind_of(model) is ModelKind.REMOTE]


def describe_uncounted(transcript: Transcript, embeddings: ModuleUsage) -> list[str]:
    """Describe the tokens that no sum contains because a server did not report them, a clause each.

    Args:
        transcript: Of the run.
        embeddings: Of ``embeddings_of``.
    """
    counted = {row.model for row in transcript.costs.by_model() if row.tokens}
    clauses = [
        f"some tokens of {model} are not counted: its server does not report all of them"
        if model in counted
        else f"tokens of {model} are not counted: its server reports none"
        for model in uncounted(transcript)
    ]
    if embeddings.calls > embeddings.failures and not embeddings.tokens:
        clauses.append("tokens of embeddings are not counted: their server reports none")
    return clauses


def failed_decisions(directory: RunDirectory) -> tuple[int, int, str]:
    """Count failed decisions as ``failed_in`` does, for a run directory."""
    # A full disk may have kept even the manifest from being written.
    return failed_in(directory.records() if directory.manifest_path.is_file() else [])


def failed_in(records: Sequence[Record]) -> tuple[int, int, str]:
    """Return how many decisions failed, out of how many, and why the first did; empty where none did."""
    failures = [record["failure"] for record in records if record["outcome"] == "failed"]
    return len(failures), len(records), failures[0] if failures else ""


def describe_failed(failed: int, decisions: int, reason: str) -> str:
    """Describe the counts of ``failed_in`` in one sentence."""
    return f"{failed} of {decisions} decisions had no answer from the model; the first: {reason}"


def describe_done_without(manifest: Mapping[str, Any]) -> str:
    """Describe in one sentence how many calls failed that decisions were made without; empty where none did."""
    counts = manifest.get("failed_calls", {})
    failed = ", ".join(f"{counts[module]} for {module}" for module in AUXILIARY if module in counts)
    return f"calls without a usable answer: {failed}; decisions were made without them" if failed else ""


def costs_of_run(directory: RunDirectory) -> dict[str, float]:
    """Compute model calls and tokens per resident and step, and dollars in total where prices are known.

    The dollars include those for calls that a resume took back and asked anew. What embeddings at an address took is
    in none of these, and listed beside them.
    """
    run = directory.verified()
    moments, embeddings = len(run.records()), embeddings_of(run.manifest)
    with run.transcript() as transcript:
        usage = transcript.costs.by_module()
        spent = cost_in_all(transcript, prices_of(run.manifest))
    return {
        "calls_per_resident_step": sum(module.calls for module in usage) / moments,
        "tokens_per_resident_step": sum(module.tokens for module in usage) / moments,
        **({} if spent is None else {"dollars": spent}),
        **({"embedding_calls": embeddings.calls, "embedding_tokens": embeddings.tokens} if embeddings.calls else {}),
    }


def uncounted_in_run(directory: RunDirectory) -> list[str]:
    """Describe uncounted tokens as ``describe_uncounted`` does, for a run that has its transcript."""
    run = directory.verified()
    with run.transcript() as transcript:
        return describe_uncounted(transcript, embeddings_of(run.manifest))
