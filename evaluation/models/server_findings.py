"""What a run has found out about its servers, recorded in the manifest so that a resumed run asks in the same way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from language_models.protocol import LanguageModel
from language_models.remote.openai_compatible import OpenAICompatible

CHOOSING, LEFT_OUT, REPLACED = "choosing", "left_out", "replaced_characters"
KEYS = (CHOOSING, LEFT_OUT, REPLACED)
"""Where a manifest has, each by model: the choice method; the optional fields of requests that the server refused, with
the names that they are sent by, empty for none; and how many characters of its answers were no valid text."""


def restore(models: Mapping[str, LanguageModel], manifest: Mapping[str, Any]) -> None:
    """Set each model to what the manifest says of its server.

    Args:
        models: By name; changed in place.
        manifest: The manifest of the run.

    Raises:
        ValueError: if it names an unknown method or field, or a model that other runs share uses another method.
    """
    for name, model in models.items():
        if not isinstance(model, OpenAICompatible):
            continue
        try:
            if (method := manifest.get(CHOOSING, {}).get(name)) is not None:
                model.chooser.fix_method(method)
            model.fields.restore(manifest.get(LEFT_OUT, {}).get(name, {}))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        model.replaced = max(model.replaced, manifest.get(REPLACED, {}).get(name, 0))


def known(models: Mapping[str, LanguageModel]) -> dict[str, dict[str, Any]]:
    """Return what is known of the servers, as a manifest has it; without keys of which nothing is known."""
    addresses = {name: model for name, model in models.items() if isinstance(model, OpenAICompatible)}
    found: dict[str, dict[str, Any]] = {
        CHOOSING: {name: model.chooser.method for name, model in addresses.items()},
        LEFT_OUT: {name: model.fields.refused for name, model in addresses.items()},
        REPLACED: {name: model.replaced for name, model in addresses.items()},
    }
    filled = {key: {name: one for name, one in values.items() if one} for key, values in found.items()}
    return {key: values for key, values in filled.items() if values}


def describe_new(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Describe the fields that are left out and were not before, a line each.

    Args:
        before: The manifest.
        now: Result of ``known``.
    """
    lines = []
    for name, changes in now.get(LEFT_OUT, {}).items():
        for field, instead in changes.items():
            if field not in before.get(LEFT_OUT, {}).get(name, {}):
                what = f"is sent as {instead}" if instead else "is left out of requests"
                lines.append(f"the server of {name} refuses the field {field}, which {what} from now on")
    return lines
