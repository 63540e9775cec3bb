"""What is wrong with the models of a run, or with what else it needs."""

from __future__ import annotations


class RunError(RuntimeError):
    """A run that cannot be begun or resumed, through no fault of the request."""
