"""What is wrong with the models of a run, or with what else it needs."""

from __future__ import annotations


class RunError(RuntimeError):
    """Raised when a run cannot start or resume for a reason outside the request, such as a missing model."""
