"""The five architectures that the paper compares (section 5.2), by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from irollan_env.hints import did_you_mean
from itcma_s.parameters import Mechanisms

_UNDER_LTRHA = frozenset({"topic", "resources", "habitus"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Architecture:
    """Define which parts a society and its minds have.

    Attributes:
        name: As given to ``--architecture``.
        mechanisms: Which improvements every mind has.
        ltrha: Whether the society lives under LTRHA (section 4).
        description: In one line.
    """

    name: str
    mechanisms: Mechanisms
    ltrha: bool
    description: str

    def lacks(self, mechanism: str) -> bool:
        """Return whether the architecture lacks a mechanism of ``itcma_s.ablation.mechanisms``, by name."""
        return (
            (mechanism in _UNDER_LTRHA and not self.ltrha)
            or (mechanism == "elimination" and not self.mechanisms.elimination)
            or (mechanism == "imagination" and not self.mechanisms.compressed_memory)
        )


_ITCMA = Mechanisms(compressed_memory=False, driver=False, elimination=False)

ARCHITECTURES: Mapping[str, Architecture] = {
    architecture.name: architecture
    for architecture in (
        Architecture(name="itcma", mechanisms=_ITCMA, ltrha=False, description="ITCMA without any of the improvements"),
        Architecture(
            name="ltrha", mechanisms=_ITCMA, ltrha=True, description="ITCMA in the social framework LTRHA (section 4)"
        ),
        Architecture(
            name="compressed-memory",
            mechanisms=Mechanisms(compressed_memory=True, driver=False, elimination=False),
            ltrha=False,
            description="ITCMA with blended, compressed, weighted memories (section 3.2)",
        ),
        Architecture(
            name="driver",
            mechanisms=Mechanisms(compressed_memory=False, driver=True, elimination=False),
            ltrha=False,
            description="ITCMA with the driver of equations 10-15 (section 3.3)",
        ),
        Architecture(
            name="itcma-s",
            mechanisms=Mechanisms(),
            ltrha=True,
            description="all of them, and the elimination of irrelevant actions (section 3.4)",
        ),
    )
}
"""The paper's five, from the plainest to the whole."""


def get_architecture(name: str) -> Architecture:
    """Return the architecture with a name.

    Raises:
        ValueError: for a name that is not in ``ARCHITECTURES``.
    """
    if name not in ARCHITECTURES:
        hint = did_you_mean(name, ARCHITECTURES)
        raise ValueError(f"unknown architecture {name!r}: it must be one of {', '.join(ARCHITECTURES)}{hint}")
    return ARCHITECTURES[name]
