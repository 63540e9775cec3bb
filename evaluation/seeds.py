"""Random generators that derive from one seed by name."""

from irollan_env.generator import stream

__all__ = ["stream"]
