"""``irollan run --estimate``: what a run would cost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

from evaluation.runs.run_config import RunConfig
from language_models.prices import Price


def print_estimate(configuration: RunConfig, prices: Mapping[str, Price], as_json: bool) -> int:
    """Print the estimate of a run.

    Args:
        configuration: The run.
        prices: By model.
        as_json: Print it as JSON.

    Returns:
        The exit status.
    """
    from evaluation.runs.estimate import estimate, in_words

    found = estimate(configuration, prices)
    print(json.dumps(asdict(found)) if as_json else in_words(found))
    return 0
