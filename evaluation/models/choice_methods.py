"""How the addresses of a run choose, kept in its manifest, so that a run that goes on chooses as it did before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from language_models.protocol import LanguageModel
from language_models.remote.openai_compatible import OpenAICompatible
from language_models.remote.schemas import ChoiceMethod

KEY = "choosing"
"""Where a manifest has them."""


def restore(models: Mapping[str, LanguageModel], manifest: Mapping[str, Any]) -> None:
    """Have models choose as the manifest of a run says, where it says so.

    Raises:
        ValueError: if it names an unknown way, or a model that other runs share chooses in another one.
    """
    for name, way in manifest.get(KEY, {}).items():
        if isinstance(model := models.get(name), OpenAICompatible):
            try:
                model.chooser.fix_method(way)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None


def known(models: Mapping[str, LanguageModel]) -> dict[str, ChoiceMethod]:
    """Cached choice method of each endpoint."""
    addresses = {name: model.chooser.method for name, model in models.items() if isinstance(model, OpenAICompatible)}
    return {name: way for name, way in addresses.items() if way is not None}
