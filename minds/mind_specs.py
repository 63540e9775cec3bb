"""Minds by name: built-in ones, those that other packages install, and ``module:Class``."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from importlib import metadata
from importlib.util import find_spec
from typing import Any

from irollan_env.hints import did_you_mean
from minds.contained import check_class
from minds.mind import Mind, MindContext
from minds.mind_host import find_class

ENTRY_POINTS = "irollan.minds"
DEFAULT = "itcma-s"
"""Name of the paper's mind, which ``itcma_s`` creates instead of this package."""

ME = "me"
"""Name of the mind whose decisions a person makes."""


def _made_elsewhere(context: MindContext) -> Mind:
    raise ValueError(f"the mind of {context.name} is made by itcma_s.make_resident, or by find_mind for another name")


@dataclass(frozen=True, slots=True)
class MindSpec:
    """A mind by name, with its requirements and argument.

    Attributes:
        name: The mind's name; with its argument in a result of ``find_mind``.
        description: Description in one line.
        source: ``module:Class``; empty for ``itcma-s``.
        needs: Requirements beside a model; empty for none.
        argument: What may follow the name and a colon; empty for nothing. The class parses it (``parse_argument``) and
            is called with a ``MindContext`` and the result.
        in_thread: Whether it decides in a thread of its own, since its code is third-party or blocks.
        contained: Whether it lives in a process of its own, where its faults end nothing else.
        package: The Python package that has to be installed; empty for none.
        make: Creates the mind of a resident in this process; set in results of ``find_mind`` that are not contained.
    """

    name: str
    description: str = ""
    source: str = ""
    needs: str = ""
    argument: str = ""
    in_thread: bool = False
    contained: bool = False
    package: str = ""
    make: Callable[[MindContext], Mind] = _made_elsewhere

    def to_json(self) -> dict[str, Any]:
        """Return its description as JSON-ready data."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name != "make"}


_NONE = "no model"
_BUILT_IN = (
    MindSpec(DEFAULT, "the paper's mind, in the form that --architecture says"),
    MindSpec(
        "model", "one bare request a step: what is perceived, and what can be done", "minds.simple.prompted:OneRequest"
    ),
    MindSpec(
        "react",
        "thinks before each action, with its last steps before it (Yao et al. 2023)",
        "minds.simple.prompted:React",
    ),
    MindSpec(
        "reflexion",
        "react, with lessons that it writes down when things went wrong (Shinn et al. 2023)",
        "minds.simple.prompted:Reflexion",
    ),
    MindSpec(
        "piano",
        "modules that run at once, and a controller behind a bottleneck (Project Sid, Altera.AL 2024)",
        "minds.piano.piano:Piano",
        argument="without-MODULE+MODULE",
    ),
    MindSpec(
        "piano-baseline",
        "its skills, memory and controller alone, with which that paper compares",
        "minds.piano.piano:PianoBaseline",
    ),
    MindSpec(
        "generative-agents",
        "a memory stream, reflection and plans (Park et al. 2023)",
        "minds.generative_agents.agent:GenerativeAgent",
    ),
    MindSpec(
        "concordia",
        "an entity of gdm-concordia, basic where no prefab is named (Vezhnevets et al. 2023)",
        "minds.concordia.entity:ConcordiaEntity",
        "gdm-concordia, for Python 3.12 and later (pip install 'irollan-valley[concordia]')",
        argument="PREFAB",
        in_thread=True,
        package="concordia",
    ),
    MindSpec("scripted", "a sociable passer-by, by rule", "minds.simple.by_policy:Scripted", _NONE),
    MindSpec("random", "any admissible action", "minds.simple.by_policy:Random", _NONE),
    MindSpec("idle", "waits", "minds.simple.by_policy:Idle", _NONE),
    MindSpec(
        "company",
        "the residents by rule in whose company scenarios measure minds",
        "minds.company.company:Company",
        _NONE,
        argument="PROFILE",
    ),
    MindSpec(ME, "a person, asked at each step what to do", "minds.simple.me:Me", "a terminal, or run --view"),
    MindSpec(
        "remote",
        "a mind in another process or language, over HTTP",
        "minds.simple.remote:Remote",
        "its address, and its token in IROLLAN_MIND_TOKEN",
        argument="URL",
    ),
)


def asks_no_model(name: str) -> bool:
    """Return whether a mind of this package is known to decide without a model.

    Args:
        name: Of the mind, with its argument.
    """
    kind = name.partition(":")[0]
    return name == ME or any(one.name == kind and one.needs == _NONE for one in _BUILT_IN)


def list_minds() -> list[MindSpec]:
    """Return all minds with a name: the built-in ones, and those installed as entry points."""
    installed = [
        MindSpec(name=one.name, description=f"installed: {one.value}", source=one.value, in_thread=True, contained=True)
        for one in sorted(metadata.entry_points(group=ENTRY_POINTS), key=lambda one: one.name)
    ]
    return [*_BUILT_IN, *installed]


def is_foreign(name: str) -> bool:
    """Return whether a name stands for a mind that is not of this package."""
    head = name.partition(":")[0]
    return head not in [one.name for one in _BUILT_IN]


def find_mind(name: str, *, in_process: bool = False) -> MindSpec:
    """Find a mind by name, ready to be created.

    Args:
        name: One of ``list_minds``, with its argument behind a colon where it takes one; or ``module:Class``.
        in_process: Have an installed mind or ``module:Class`` live in this process, which is faster, and in which its
            faults can end everything.

    Raises:
        ValueError: for an unknown name, a module that cannot be imported, a class that is no mind, an
            argument that the mind does not take, or ``itcma-s``, which ``itcma_s.make_resident`` creates.
    """
    head, colon, argument = name.partition(":")
    known = {one.name: one for one in reversed(list_minds())}
    if head not in known:
        if colon:
            return _foreign(MindSpec(name=name, source=name, in_thread=True, contained=True), in_process)
        hint = did_you_mean(head, known)
        raise ValueError(
            f"unknown mind {name!r}: it must be one of {', '.join(reversed(known))}, or module:Class of your own{hint}"
        )
    one = known[head]
    if not one.source:
        raise ValueError(f"the mind {head} is made by itcma_s.make_resident, or by a run; find_mind takes the others")
    if colon and not one.argument:
        raise ValueError(f"the mind {head} takes nothing behind a colon, got {name!r}")
    if one.package and find_spec(one.package) is None:
        raise ValueError(f"the mind {head} needs {one.needs}")
    if one.contained:
        return _foreign(one, in_process)
    module, _, attribute = one.source.partition(":")
    make: Any = getattr(importlib.import_module(module), attribute)
    if one.argument:
        make = partial(make, argument=make.parse_argument(argument))
    return replace(one, name=name, make=make)


def _foreign(spec: MindSpec, in_process: bool) -> MindSpec:
    """Check a mind of one's own, and import it where it is to live in this process."""
    if in_process:
        return replace(spec, contained=False, make=find_class(spec.name, spec.source))
    check_class(spec.name, spec.source)
    return spec
