"""Build societies from a configuration, and find the models that it names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from evaluation.models.backends import Backends, resolve
from evaluation.models.forecasters import load_forecaster
from evaluation.models.person import HumanInterface
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.architectures import get_architecture
from evaluation.runs.config_parts import Deliberation as DecidedBy
from evaluation.runs.config_parts import Elimination, ExecutionDraw, RankScope, Scheduling, Serving
from evaluation.runs.event_files import check_events, identities_of, with_events_of
from evaluation.runs.identities import check_identities, things_held
from evaluation.runs.interventions import Interventions, events_of
from evaluation.runs.matrix_ranker import check_matrix_model, ranker_of
from evaluation.runs.run_config import RunConfig
from evaluation.runs.society import Society
from evaluation.scenarios.scenario import Scenario, find_scenario
from evaluation.scenarios.scenario_world import ScenarioWorld, begin_with
from irollan_env.hints import check_known
from irollan_env.map.loading import load_map
from irollan_env.map.valley_map import ValleyMap
from irollan_env.random_streams import stream
from irollan_env.resident import Resident
from irollan_env.world.mechanic import Mechanic, MechanicError
from irollan_env.world.mechanics.event_map import newcomers
from irollan_env.world.mechanics.needs import common_knowledge
from irollan_env.world.observation import Observation
from irollan_env.world.rules import forms_of
from irollan_env.world.world import World
from irollan_env.world.world_classes import find_world_classes, make_world_classes
from itcma_s.ablation.decision_inputs import observed_habitus
from itcma_s.ablation.expecting import Expecting
from itcma_s.ablation.mechanisms import find_mechanisms
from itcma_s.ablation.resident import AblatedResident
from itcma_s.deliberation.llm_policy.answer_format import Form
from itcma_s.deliberation.llm_policy.llm_policy import LLMPolicy
from itcma_s.deliberation.protocol import Deliberation
from itcma_s.deliberation.similarity_policy.decision_weights import LARGE_MODEL, DecisionWeights
from itcma_s.deliberation.similarity_policy.similarity_policy import SimilarityPolicy
from itcma_s.elimination.elimination import EmbeddingScorer, ModelScorer, Scorer
from itcma_s.fields.name_table import NameTable
from itcma_s.memory.memory import Memory, formative_memories
from itcma_s.memory.mentions import NameIndex
from itcma_s.protention.place_imagination import PlaceImagination
from itcma_s.protention.protention_model import ProtentionModel
from itcma_s.resident import ItcmaResident
from itcma_s.vocabulary import vocabulary
from itcma_s.wording import Style
from language_models.protocol import Embedder, LanguageModel
from ltrha import LTRHA, Matrix, ResourceMode
from minds.history import History
from minds.hosted import HostedMind
from minds.mind_specs import DEFAULT, MindSpec, find_mind

_NOBODY = History()


def build_society(
    configuration: RunConfig,
    model: LanguageModel,
    embedder: Embedder,
    valley_map: ValleyMap | None = None,
    *,
    make: Callable[..., ItcmaResident] = ItcmaResident,
) -> Society:
    """Build the society of a configuration at time step 0.

    Args:
        configuration: The run.
        model: The model of all roles.
        embedder: What compares names and sentences.
        valley_map: The map of the run, without what its events bring; that of the configuration when None.
        make: Makes each resident from what ``ItcmaResident`` is made from; not asked where mechanisms are left out.

    Raises:
        FileNotFoundError: if it names a file of a learned protention that is not there.
        ValueError: if that file is damaged.
    """
    architecture = get_architecture(configuration.architecture)
    seed = configuration.seed
    on = world_map(configuration, map_of(configuration) if valley_map is None else valley_map)
    scenario = find_scenario(configuration.world.scenario, on) if configuration.world.scenario else None
    world = starting_world(configuration, scenario, on)
    words = vocabulary(names_of(world.map))
    table = NameTable(embedder)
    forecaster = load_forecaster(configuration.mind.protention)
    imagination = imagination_of(configuration, model, words)
    hosted = kinds_of(configuration, world.residents)
    histories, arriving = _histories(configuration, world.map), newcomers(configuration.world.events)
    framework = framework_of(configuration, model, embedder, world)
    expects = ProtentionModel
    if without := find_mechanisms(configuration.mind.ablate):
        make, expects = partial(AblatedResident, without=without, habitus_of=habitus_function(framework)), Expecting
    needs = common_knowledge(world.map)
    hosts = _hosts(configuration, hosted, model, embedder, histories, world.map.setting)
    names = NameIndex(names_of(world.map), world.residents)
    there = [name for name in world.residents if name not in hosted and name not in arriving]
    remembered = [line for name in there for line in histories[name].lines()]
    table.ids(one for line in remembered for one in names.objects(line) or (line,))  # all at once
    residents: list[Resident] = []
    for name in world.residents:
        generator = stream(seed, f"resident {name}")
        if name in hosted:
            residents.append(hosts[name])
            continue
        residents.append(
            make(
                name,
                deliberation=deliberation_of(
                    configuration, model, embedder, words, history=histories[name], valley_map=world.map
                ),
                protention_model=expects(table, imagination, forecaster),
                scorer=scorer_of(configuration, model, embedder),
                table=table,
                generator=generator,
                mechanisms=architecture.mechanisms,
                parameters=configuration.mind.parameters,
                in_turn=configuration.world.scheduling == Scheduling.SEQUENTIAL,
                memories=[] if name in arriving else _memories(histories[name], names, table),
                acquainted=histories[name].feelings,
                needs=needs,
                residents=world.residents,
            )
        )

    def reframed(settings: Mapping[str, Any]) -> tuple[LTRHA | None, ExecutionDraw]:
        other = configuration.with_keys({f"ltrha.{path}": value for path, value in settings.items()})
        return framework_of(other, model, embedder, world), other.ltrha.execution_draw

    def memories_of(name: str) -> Sequence[Memory]:
        return _memories(histories[name], names, table)

    return Society(
        world,
        residents,
        framework=framework,
        table=table if len(hosted) < len(residents) else None,
        scheduling=configuration.world.scheduling or Scheduling.SIMULTANEOUS,
        execution_draw=configuration.ltrha.execution_draw,
        goals={} if scenario is None else {name: scenario.goal_of(name) for name in world.residents},
        intervene=None if events_of(world) is None else Interventions(reframed, memories_of),
    )


def framework_of(configuration: RunConfig, model: LanguageModel, embedder: Embedder, world: World) -> LTRHA | None:
    """Make the social framework of a society at its beginning; None for an architecture without it."""
    if not get_architecture(configuration.architecture).ltrha:
        return None
    parameters = configuration.ltrha.parameters
    return LTRHA(
        world.residents,
        places_of(world.map),
        Matrix(
            ranker_of(configuration, model, embedder, world.map.setting),
            s_min=parameters.s_min,
            s_max=parameters.s_max,
            per_locale=configuration.ltrha.rank_scope == RankScope.LOCALE,
        ),
        stream(configuration.seed, "ltrha"),
        places={name: world.place_of(name) for name in world.residents},
        resource_mode=configuration.ltrha.resource_mode or ResourceMode.AMOUNT,
        standing_decides=configuration.ltrha.standing_decides,
        draws=configuration.ltrha.draws,
        parameters=parameters,
    )


def starting_world(configuration: RunConfig, scenario: Scenario | None, valley_map: ValleyMap) -> World:
    """Build the world at time step 0: everybody where its identity or the scenario has it, and at home elsewhere.

    Raises:
        ValueError: for identities that do not fit the map.
    """
    identities = configuration.world.identities
    check_identities(identities, valley_map)
    places = {who: data["place"] for who, data in identities.items() if "place" in data}
    items, generator = things_held(identities, valley_map), stream(configuration.seed, "world")
    own = _world_classes(configuration)
    if scenario is not None:
        return ScenarioWorld(scenario, valley_map, generator, places=places, items=items, mechanics=own)
    return World(valley_map, seed=generator, mechanics=own, prepare=lambda world: begin_with(world, places, items))


def _world_classes(configuration: RunConfig) -> list[Mechanic]:
    where = "world.rules"
    return make_world_classes(
        find_world_classes(configuration.world.rules, where), configuration.world.rules_deadline, where
    )


def _hosts(
    configuration: RunConfig,
    specs: Mapping[str, MindSpec],
    model: LanguageModel,
    embedder: Embedder,
    histories: Mapping[str, History],
    setting: str,
) -> dict[str, HostedMind]:
    """Host minds other than the default, by resident; the processes of contained ones start side by side."""

    def host(name: str) -> HostedMind:
        return HostedMind(
            name,
            spec=specs[name],
            model=model,
            embedder=embedder,
            generator=stream(configuration.seed, f"resident {name}"),
            history=histories[name],
            setting=setting,
        )

    contained = [name for name, spec in specs.items() if spec.contained]
    with ThreadPoolExecutor(max(1, len(contained))) as pool:
        begun = {name: pool.submit(host, name) for name in contained}
        return {name: begun[name].result() if name in begun else host(name) for name in specs}


def _histories(configuration: RunConfig, valley_map: ValleyMap) -> dict[str, History]:
    """Return who the residents are: what their identities say, and the map where those say nothing."""
    identities = identities_of(configuration)
    found = {}
    for one in valley_map.residents:
        on_the_map = {"pronouns": one.pronouns, "language": "" if one.language == "English" else one.language}
        found[one.name] = History.from_json({**on_the_map, **identities.get(one.name, {})})
    return found


def _memories(history: History, names: NameIndex, table: NameTable) -> list[Memory]:
    """Return what a resident remembers; what it feels about somebody is the pleasure of remembering that person."""
    lines = history.relation_lines()
    feelings = {lines[who]: feeling for who, feeling in history.feelings.items() if who in lines}
    return formative_memories(history.lines(), names, table, feelings=feelings)


def habitus_function(framework: LTRHA | None) -> Callable[[Observation], Mapping[str, float] | None]:
    """Compute the habitus preferences of an observer from the topic and the resources it observes."""
    if framework is None:
        return observed_habitus
    return lambda observation: framework.preferences(observation.resident, observation)


def kinds_of(configuration: RunConfig, residents: Sequence[str]) -> dict[str, MindSpec]:
    """Return the minds other than the default, by resident.

    Args:
        configuration: Of the run.
        residents: Names of all residents.

    Raises:
        ValueError: for a mind that there is not, a resident whom the map does not have, or mechanisms to be left out of
            minds that nobody has.
    """
    for name in configuration.mind.by_resident:
        check_known("resident", name, residents, "mind.by_resident: ")
    names = {name: configuration.mind.of(name) for name in residents}
    if configuration.mind.ablate and DEFAULT not in names.values():
        raise ValueError(f"mind.ablate has no effect: no resident has the mind {DEFAULT}; leave it out")
    in_process = configuration.mind.in_process
    kinds = {mind: find_mind(mind, in_process=in_process) for mind in dict.fromkeys(names.values()) if mind != DEFAULT}
    return {name: kinds[mind] for name, mind in names.items() if mind != DEFAULT}


def map_of(configuration: RunConfig) -> ValleyMap:
    """Load the map on which a run of a configuration begins.

    Raises:
        ValueError: for a name or a file that is no map, or more residents than it has.
    """
    return load_map(configuration.world.map, configuration.world.residents)


def map_of_keys(keys: Mapping[str, Any]) -> ValleyMap:
    """Load the map that keys of a configuration name, whatever the others are; see ``map_of``."""
    paths = ("world.map", "world.residents", "world.scenario")
    return map_of(RunConfig.from_keys({path: keys[path] for path in paths if path in keys}))


def world_map(configuration: RunConfig, valley_map: ValleyMap) -> ValleyMap:
    """Return the map of a run's world: with the mechanics of the scenario, and all that events bring.

    Args:
        configuration: The run.
        valley_map: Its map, as ``map_of`` or ``RunDirectory.read_map`` gives it.

    Raises:
        ValueError: for a scenario that is unknown or does not fit the map, or an event that names what is not there.
    """
    if configuration.world.scenario:
        valley_map = valley_map.with_mechanics(find_scenario(configuration.world.scenario, valley_map).mechanics)
    return with_events_of(configuration, valley_map)


def map_of_run(directory: RunDirectory) -> ValleyMap:
    """Return the map of the world of a run that is there, as ``world_map`` does.

    Raises:
        DirectoryError: if there is no run, or its manifest or its map is damaged.
    """
    world = directory.read_manifest()["configuration"]["effective"].get("world", {})
    return world_map(RunConfig.from_keys({"world": world}), directory.read_map())


def check_population(configuration: RunConfig, valley_map: ValleyMap) -> None:
    """Check that a configuration fits its map: minds, identities, mechanics, events, and a scenario that is scored.

    Args:
        configuration: The run.
        valley_map: Its map, without what events bring.

    Raises:
        ValueError: for an unknown mind or world class; identities, mechanics, events or a scenario that do not fit the
            map; or too few steps for the scenario.
    """
    whole = world_map(configuration, valley_map)
    own = _world_classes(configuration)
    forms_of(own, whole)
    kinds_of(configuration, whole.tables.residents)
    check_identities(identities_of(configuration), whole)
    if whole.mechanics:
        try:
            check_events(configuration, World(whole, 0, mechanics=own))
        except MechanicError as error:
            raise ValueError(str(error)) from error
    if configuration.world.scenario:
        find_scenario(configuration.world.scenario, valley_map).check_steps(configuration.steps)


def find_backends(
    configuration: RunConfig, human: HumanInterface | None = None, *, valley_map: ValleyMap | None = None
) -> Backends:
    """Find the models and the embedder of a configuration without loading them; check its minds and scenario.

    Args:
        configuration: The run.
        human: Where a person sits who lives in it; at the terminal when None.
        valley_map: The map of the run; that of the configuration when None.

    Raises:
        ValueError: for a name that stands for nothing; see ``evaluation.models.backends.resolve`` and ``kinds_of``; or
            a model for the matrix that would not be asked; or one that cannot decide for residents and should.
        RunError: if the weights of a known name are not on this machine.
    """
    check_population(configuration, map_of(configuration) if valley_map is None else valley_map)
    check_matrix_model(configuration)
    if configuration.mind.deliberation == DecidedBy.LLM:
        answer_form(configuration)
    return resolve(
        configuration.model.chosen,
        protention=configuration.mind.protention,
        elimination=str(configuration.mind.elimination),
        exact=configuration.model.serving == Serving.EXACT,
        human=human,
    )


_ALWAYS_REMEMBERED = 2
"""How many of the latest memories from before the run a large model is told in every request; others are recalled."""


def deliberation_of(
    configuration: RunConfig,
    model: LanguageModel,
    embedder: Embedder,
    words: frozenset[str],
    *,
    writes: bool = True,
    without: str = "",
    history: History = _NOBODY,
    valley_map: ValleyMap | None = None,
) -> Deliberation:
    """Make the deliberation of one resident.

    Args:
        configuration: The run.
        model: The model of all roles.
        embedder: What compares sentences.
        words: Those that an embedded model may write.
        writes: False leaves out the thoughts and words that come after a decision by similarity.
        without: The weight of ``weights_of`` that counts nothing, or the rule that does not hold; none when empty.
        history: Who the resident was before the run: what it thinks of people at the beginning.
        valley_map: The map, of which the model is told what it is; the paper's valley when None.
    """
    if configuration.mind.deliberation == DecidedBy.LLM:
        here = ValleyMap.default() if valley_map is None else valley_map
        return LLMPolicy(
            model=model,
            form=answer_form(configuration),
            describes=configuration.mind.descriptions,
            detail=configuration.mind.prompt_detail,
            myself=history.introduction(),
            others=history.impressions(),
            wish=history.goals[0] if history.goals else "",
            memories=history.memories[-_ALWAYS_REMEMBERED:],
            told=set(history.lines()) - set(history.memories[:-_ALWAYS_REMEMBERED]),
            setting=here.setting,
            outside=_way_outside(here),
        )
    style, weights = _style(configuration, "writing"), weights_of(configuration)
    return SimilarityPolicy(
        model=model,
        embedder=embedder,
        style=style,
        vocabulary=words if style == "page" else None,
        weights=weights.without(without) if without else weights,
        writes=writes,
        detail=configuration.mind.prompt_detail,
        wishes=history.goals,
        feelings=history.feelings,
    )


def _way_outside(valley_map: ValleyMap) -> str:
    """Say how one leaves a room: "outside", or the way to a ground of another name; empty where there are several."""
    ground, *others = valley_map.grounds
    if others:
        return ""
    return ground.name if ground.name == "outside" else f"to {ground.name}"


def weights_of(configuration: RunConfig) -> DecisionWeights:
    """Return the weights of a decision by similarity."""
    return LARGE_MODEL if configuration.model.instructed("action") else DecisionWeights()


def imagination_of(configuration: RunConfig, model: LanguageModel, words: frozenset[str]) -> PlaceImagination:
    """Make the imagination that a whole society shares: it predicts places that a resident has not seen.

    Args:
        configuration: The run.
        model: The model of all roles.
        words: Those that an embedded model may write.
    """
    style = _style(configuration, "protention")
    return PlaceImagination(model, words if style == "page" else None, style)


def _style(configuration: RunConfig, role: str) -> Style:
    """Choose how a model is prompted to write: by instruction, as a page of scenes, or with examples."""
    if configuration.model.instructed(role):
        return "instruct"
    return "scene" if configuration.model.trained_on_scenes(role) else "page"


def answer_form(configuration: RunConfig) -> Form:
    """Choose how a deciding model formats its answer: JSON, or lines where no schema can be enforced.

    Raises:
        ValueError: for a model that was trained to write scenes, which decides nothing.
    """
    spec = configuration.model.spec_of("action")
    if spec.trained_on_scenes:
        raise ValueError(
            f"mind.deliberation = 'llm': {spec.name!r} was trained to write thoughts and words and decides for nobody; "
            "name a large model, or use --deliberation similarity"
        )
    return "json" if spec.json_schema else "plain"


def scorer_of(configuration: RunConfig, model: LanguageModel, embedder: Embedder) -> Scorer:
    """Make one resident's scorer of relevance; large models answer digits, as few servers give probabilities.

    Args:
        configuration: Of the run.
        model: Answers the module "elimination".
        embedder: Compares texts where no model does.
    """
    if configuration.mind.elimination == Elimination.EMBEDDER:
        return EmbeddingScorer(embedder)
    return ModelScorer(model, way="digits" if configuration.model.instructed("elimination") else "probability")


def streams(valley_map: ValleyMap, *, ltrha: bool) -> list[str]:
    """Return the names of a society's random generators; each has its own seed."""
    residents = [f"resident {resident.name}" for resident in valley_map.residents]
    return ["world", *(["ltrha"] if ltrha else []), *residents]


def places_of(valley_map: ValleyMap) -> list[str]:
    """Return every place of a map: the areas, then the outside or the towns."""
    return [*(area.name for area in valley_map.areas), *(ground.name for ground in valley_map.grounds)]


def names_of(valley_map: ValleyMap) -> list[str]:
    """Return every person and object that a map names."""
    return [
        *(resident.name for resident in valley_map.residents),
        *places_of(valley_map),
        *(furniture.name for furniture in valley_map.furniture),
        *valley_map.tables.items,
    ]
