"""Prices of tokens, by model."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any

from language_models.model_names import ModelKind, address_in, kind_of

_KINDS = ("prompt", "cached", "generated")


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """Price of a model's tokens, in US dollars per million.

    Attributes:
        prompt: Tokens of the prompt that no cache served.
        cached: Tokens of the prompt that a prefix cache served.
        generated: Tokens written or scored.
        as_of: Date of the prices, as 2025-01-31; empty if unknown.

    Raises:
        ValueError: if a price is negative or not finite, or the date is invalid.
    """

    prompt: float = 0.0
    cached: float = 0.0
    generated: float = 0.0
    as_of: str = ""

    def __post_init__(self) -> None:
        for kind in _KINDS:
            value = getattr(self, kind)
            if not (math.isfinite(value) and value >= 0):
                raise ValueError(f"the price of {kind} tokens must be at least 0, got {value!r}")
        try:
            day = date.fromisoformat(self.as_of).isoformat() if self.as_of else ""
        except ValueError:
            day = ""
        if day != self.as_of:
            raise ValueError(f"as_of must be the day that a price is of, such as 2025-01-31, got {self.as_of!r}")

    def of(self, prompt_tokens: float, cached_tokens: float, generated_tokens: float) -> float:
        """Return what these tokens cost in US dollars.

        Args:
            prompt_tokens: All tokens of the prompt, at least 0.
            cached_tokens: Tokens of the prompt that a cache served.
            generated_tokens: Tokens written or scored.
        """
        fresh = max(prompt_tokens - cached_tokens, 0.0)
        return (fresh * self.prompt + cached_tokens * self.cached + generated_tokens * self.generated) / 1e6


FREE = Price()


def read_prices(path: Path | None = None) -> dict[str, Price]:
    """Read prices by model name.

    Args:
        path: A TOML file with a table ``[models.NAME]`` for each, holding prompt, cached, generated and as_of, the day
            that they are of; prices.toml of this package when None. Where cached is missing, it is the same as prompt,
            and as_of may be missing, too.

    Raises:
        ValueError: if there is no such file, or it holds something else.
        OSError: if it cannot be read.
    """
    if path is not None and not path.is_file():
        raise ValueError(f"there is no file of prices {path}; language_models/prices.toml shows the form")
    text = (files("language_models") / "prices.toml").read_text("utf-8") if path is None else path.read_text("utf-8")
    try:
        tables = tomllib.loads(text)["models"]
        return {name: _price(table) for name, table in tables.items()}
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no file of prices: {error}; language_models/prices.toml shows the form") from error


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return the price of a model; None if it is not known.

    Args:
        model: Its name in a transcript or on the command line.
        prices: Result of ``read_prices``; a local model without a price is free.
    """
    if kind_of(model) is not ModelKind.REMOTE:
        return prices.get(model, FREE)
    return prices.get(model) or prices.get(address_in(model)[1])


def days_of(prices: Iterable[Price]) -> str:
    """Format the dates of prices, sorted and without repeats, as shown beside a sum; empty if none is known."""
    return ", ".join(sorted({price.as_of for price in prices} - {""}))


def _price(table: Mapping[str, Any]) -> Price:
    cached = table.get("cached", table["prompt"])
    return Price(
        prompt=float(table["prompt"]),
        cached=float(cached),
        generated=float(table["generated"]),
        as_of=str(table.get("as_of", "")),
    )
