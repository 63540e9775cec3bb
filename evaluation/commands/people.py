"""``irollan people``: write identities for the residents of a map, and check a file of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evaluation.commands.arguments import AsJson, filled, filled_path, whole_number
from evaluation.commands.errors import print_error, print_note, print_refusal
from irollan_env.map.loading import MAP_FORMS

if TYPE_CHECKING:
    from evaluation.people.by_model import Pasts
    from irollan_env.map.valley_map import ValleyMap

app = typer.Typer(help="Write who residents are, and check such a file (--identities of irollan run).")

_Map = Annotated[
    str | None,
    typer.Option("--map", metavar="NAME", parser=filled, help=f"Their map: {MAP_FORMS}.", show_default=False),
]
_Residents = Annotated[
    int | None,
    typer.Option(metavar="N", parser=whole_number, help="Only the first N residents of the map.", show_default=False),
]


@app.command()
def new(
    where: _Map = None,
    residents: _Residents = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of all draws.")] = 0,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            parser=filled,
            help="Writes backstories and formative memories; see irollan models. [default: sentences by rule]",
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", parser=filled_path, help="The file to write.")] = Path(
        "people.toml"
    ),
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
    as_json: AsJson = False,
) -> int:
    """Write an identity for every resident of a map: age, work, family, ties, wishes, character and memories.

    The same seed gives the same identities. With --model a language model writes a backstory for each and memories
    from it, as Concordia does; every call is in a transcript beside FILE.
    """
    from evaluation.models.errors import RunError
    from evaluation.people.by_rule import write_people
    from evaluation.people.people_file import to_toml
    from evaluation.records.files import check_no_link, write_atomically
    from irollan_env.map.loading import load_map
    from language_models.protocol import ModelUnavailable

    transcript = out.with_name(f"{out.stem}.transcript.sqlite")
    try:
        if out.suffix != ".toml":
            raise ValueError(f"--out must be a TOML file, got {out}; name it {out.with_suffix('.toml')}")
        for path in (out, *([transcript] if model is not None else [])):
            check_no_link(path)
            if path.exists() and not force:
                raise ValueError(f"{path} is there already; give another --out, or --force to replace it")
        valley_map = load_map(where, residents)
        identities: Any = write_people(valley_map, seed)
        pasts = None if model is None else _pasts(identities, valley_map, model, seed, transcript)
        by = "by rule" if pasts is None else f"by rule, and memories by {model}"
        heading = f"Who the residents of {valley_map.name} are: written {by}, seed {seed}; irollan people new."
        stories = {} if pasts is None else pasts.backstories
        text = to_toml(identities if pasts is None else pasts.identities, heading, stories)
        write_atomically(out, text.encode())
    except (ValueError, OSError, RunError) as error:
        return print_refusal(error)
    except ModelUnavailable as error:
        return print_error(f"{error}; nothing was written but the calls in {transcript}", 1)
    failed = {} if pasts is None else dict(pasts.failures)
    if as_json:
        calls = {} if pasts is None else {"calls": pasts.calls, "transcript": str(transcript), "failures": failed}
        print(json.dumps({"file": str(out), "residents": len(identities), "seed": seed, **calls}, indent=2))
    else:
        on = "" if where is None else f" --map {where}"
        on += "" if residents is None else f" --residents {residents}"
        print(f"{out} says who {len(identities)} residents are; start them with irollan run{on} --identities {out}")
    if pasts is not None:
        print_note(f"{pasts.calls} model calls, in {transcript}")
    if failed:
        who, reason = next(iter(failed.items()))
        print_note(f"{len(failed)} of {len(identities)} keep the memories by rule, as calls failed: {who}: {reason}")
        return 1 if len(failed) == len(identities) else 0
    return 0


def _pasts(identities: dict[str, dict[str, Any]], valley_map: ValleyMap, name: str, seed: int, path: Path) -> Pasts:
    """Have a model write everybody's past, and record its calls."""
    from evaluation.interviews.interview import in_one_go, loaded_model
    from evaluation.models.model_roles import Models, read_models
    from evaluation.people.by_model import CONTEXT, write_pasts
    from evaluation.runs.progress import progress_on
    from language_models.model_names import ModelKind
    from language_models.registry import find_model
    from language_models.transcript.recording import RecordedModel
    from language_models.transcript.transcript import Transcript

    chosen = read_models([name], Models(model=name))
    options = dict(chosen.options.get(str(chosen.model), {}))
    found, progress = find_model(str(chosen.model), options), progress_on()
    if not (found.instructed or found.kind is ModelKind.SCRIPTED):
        raise ValueError(
            f"{chosen.model} follows no instructions and can write no past; name a larger model (irollan models), or "
            "leave out --model"
        )
    if found.kind is ModelKind.EMBEDDED:
        options.setdefault("context", CONTEXT)

    def shown(done: int) -> None:
        if done % -(-len(identities) // 10) == 0 or done == len(identities):
            progress.say(f"{done} of {len(identities)} residents have a past")

    with loaded_model(str(chosen.model), found, options, progress) as model:
        path.unlink(missing_ok=True)
        with Transcript(path) as transcript:
            transcript.ids.enlist(identities)
            recorded = RecordedModel(model, transcript)
            return in_one_go(model, write_pasts(identities, valley_map, recorded, seed, shown))


@app.command()
def check(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", parser=filled, help="A file of identities, or the name of shipped ones.", show_default=False
        ),
    ],
    where: _Map = None,
    residents: _Residents = None,
) -> int:
    """Check a file of identities against a map, and warn of what may be a mistake.

    An error is one line that names the resident and the key; the exit status is then 2.
    """
    from evaluation.runs.identities import check_identities, find_identities
    from irollan_env.map.loading import load_map

    try:
        identities, valley_map = find_identities(file), load_map(where, residents)
        try:
            check_identities(identities, valley_map)
        except ValueError as error:
            raise ValueError(f"{file} does not fit the map {valley_map.name!r}: {error}") from error
    except (ValueError, OSError) as error:
        return print_refusal(error)
    without = [one.name for one in valley_map.residents if one.name not in identities]
    print(f"{file} is whole: {len(identities)} of the {len(valley_map.residents)} residents of {valley_map.name}")
    if without:
        more = f" and {len(without) - 8} more" if len(without) > 8 else ""
        print_note(f"nothing is said of {', '.join(without[:8])}{more}; they begin as nobody")
    for who, data in identities.items():
        for other in data.get("relations", {}):
            if who not in identities.get(other, {}).get("relations", {}):
                print_note(f"{who} has a relation to {other}, and {other} none to {who}; this may be meant")
    return 0
