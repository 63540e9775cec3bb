"""The error of a run that cannot start or resume."""

from __future__ import annotations


class RunError(RuntimeError):
    """Raised when a run cannot start or resume for a reason outside the request, such as a missing model."""
