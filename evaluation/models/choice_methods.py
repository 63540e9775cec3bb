"""Choice methods of the models at an address, recorded in the manifest so that a resumed run keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from language_models.protocol import LanguageModel
from language_models.remote.openai_compatible import OpenAICompatible
from language_models.remote.schemas import ChoiceMethod

KEY = "choosing"
"""Where a manifest has them."""


def restore(models: Mapping[str, LanguageModel], manifest: Mapping[str, Any]) -> None:
    """Set the choice method of each model to the one in the manifest, where it has one.

    Args:
        models: By name; changed in place.
        manifest: The manifest of the run.

    Raises:
        ValueError: if it names an unknown method, or a model that other runs share uses another one.
    """
    for name, way in manifest.get(KEY, {}).items():
        if isinstance(model := models.get(name), OpenAICompatible):
            try:
                model.chooser.fix_method(way)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None


def known(models: Mapping[str, LanguageModel]) -> dict[str, ChoiceMethod]:
    """Return the choice method of each model at an address, as far as it is known."""
    addresses = {name: model.chooser.method for name, model in models.items() if isinstance(model, OpenAICompatible)}
    return {name: way for name, way in addresses.items() if way is not None}
