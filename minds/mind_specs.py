"""Which minds there are: those that come with the valley, those that are installed beside it, and one's own."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from irollan_env.hints import did_you_mean
from minds.mind import Mind, MindContext

ENTRY_POINTS = "irollan.minds"
DEFAULT = "itcma-s"
"""The mind that the rest of this repository is about; it is put together by whoever builds a society."""

ME = "me"
"""The mind of a resident that a person decides for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MindSpec:
    """A mind by name.

    Attributes:
        name: As it was asked for, with its argument.
        make: Makes one for a resident.
        in_thread: Whether its code is somebody else's, or blocks: it then decides in a thread of its own.
    """

    name: str
    make: Callable[[MindContext], Mind]
    in_thread: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """One row of what there is.

    Attributes:
        name: As it is given.
        description: In one line.
        source: ``module:Class``; empty for the default, which is put together elsewhere.
        needs: What it needs beside a model; empty for nothing.
        argument: What may stand behind a colon; empty where nothing may. The class then reads it by ``read_argument``,
            and is made with a ``MindContext`` and what came of that.
        in_thread: As of ``MindSpec``.
        package: The Python package that has to be installed; empty for none.
    """

    name: str
    description: str
    source: str
    needs: str = ""
    argument: str = ""
    in_thread: bool = False
    package: str = ""


_BUILT_IN = (
    Listed(name=DEFAULT, description="the paper's mind, in the form that --architecture says", source=""),
    Listed(
        name="model",
        description="one bare request a step: what is perceived, and what can be done",
        source="minds.simple.one_request:OneRequest",
    ),
    Listed(
        name="react",
        description="thinks before each action, with its last steps before it (Yao et al. 2023)",
        source="minds.simple.react:React",
    ),
    Listed(
        name="reflexion",
        description="react, with lessons that it writes down when things went wrong (Shinn et al. 2023)",
        source="minds.simple.reflexion:Reflexion",
    ),
    Listed(
        name="piano",
        description="modules that run at once, and a controller behind a bottleneck (Project Sid, Altera.AL 2024)",
        source="minds.piano.piano:Piano",
        argument="without-MODULE+MODULE",
    ),
    Listed(
        name="piano-baseline",
        description="its skills, memory and controller alone, with which that paper compares",
        source="minds.piano.piano:PianoBaseline",
    ),
    Listed(
        name="generative-agents",
        description="a memory stream, reflection and plans (Park et al. 2023)",
        source="minds.generative_agents.agent:GenerativeAgent",
    ),
    Listed(
        name="concordia",
        description="an entity of gdm-concordia, basic where no prefab is named (Vezhnevets et al. 2023)",
        source="minds.concordia.entity:ConcordiaEntity",
        needs="gdm-concordia, for Python 3.12 and later (pip install 'irollan-valley[concordia]')",
        argument="PREFAB",
        in_thread=True,
        package="concordia",
    ),
    Listed(
        name="scripted",
        description="a sociable passer-by, by rule",
        source="minds.simple.by_policy:Scripted",
        needs="no model",
    ),
    Listed(
        name="random", description="any admissible action", source="minds.simple.by_policy:Random", needs="no model"
    ),
    Listed(name="idle", description="waits", source="minds.simple.by_policy:Idle", needs="no model"),
    Listed(
        name="company",
        description="the residents by rule in whose company scenarios measure minds",
        source="minds.company.company:Company",
        needs="no model",
        argument="PROFILE",
    ),
    Listed(
        name=ME,
        description="a person, asked at each step what to do",
        source="minds.simple.me:Me",
        needs="a terminal, or run --view",
    ),
    Listed(
        name="remote",
        description="a mind in another process or language, over HTTP",
        source="minds.simple.remote:Remote",
        needs="its address, and its token in IROLLAN_MIND_TOKEN",
        argument="URL",
    ),
)


def listed() -> list[Listed]:
    """All minds that have a name here: those of this repository, and those that are installed as entry points."""
    installed = [
        Listed(name=one.name, description=f"installed: {one.value}", source=one.value, in_thread=True)
        for one in sorted(metadata.entry_points(group=ENTRY_POINTS), key=lambda one: one.name)
    ]
    return [*_BUILT_IN, *installed]


def find_kind(name: str) -> MindSpec:
    """The mind of a name: one of ``listed`` but the default, or ``module:Class``.

    Raises:
        ValueError: for a name that stands for nothing, a module that cannot be imported, a class that is no mind, or an
            argument that the mind does not take.
    """
    head, colon, argument = name.partition(":")
    known = {one.name: one for one in reversed(listed())}
    if head not in known:
        if colon:
            return MindSpec(name=name, make=_imported(name, name), in_thread=True)
        hint = did_you_mean(head, known)
        raise ValueError(
            f"unknown mind {name!r}: it must be one of {', '.join(reversed(known))}, or module:Class of your own{hint}"
        )
    one = known[head]
    if colon and not one.argument:
        raise ValueError(f"the mind {head} takes nothing behind a colon, got {name!r}")
    if one.package and find_spec(one.package) is None:
        raise ValueError(f"the mind {head} needs {one.needs}")
    if one not in _BUILT_IN:
        return MindSpec(name=name, make=_imported(name, one.source), in_thread=True)
    module, _, attribute = one.source.partition(":")
    make: Any = getattr(importlib.import_module(module), attribute)
    if one.argument:
        make = partial(make, argument=make.read_argument(argument))
    return MindSpec(name=name, make=make, in_thread=one.in_thread)


def _imported(name: str, source: str) -> Callable[[MindContext], Mind]:
    """The class that ``module:Class`` names, also of a file in the directory that one is in."""
    module, _, attribute = source.partition(":")
    if not re.fullmatch(r"[\w.]+:[\w.]+", source):
        raise ValueError(f"a mind of one's own is written module:Class, got {name!r}")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"the mind {name!r} cannot be imported: {what}") from error
    if not callable(getattr(found, "act", None)):
        raise ValueError(f"the mind {name!r} is {found!r}, which has no method act(observation)")
    make: Callable[[MindContext], Mind] = found
    return make
