"""Concordia entities that live in the valley, and are asked by Concordia's own interviewers after each act."""

from dataclasses import replace

from concordia.associative_memory.basic_associative_memory import AssociativeMemoryBank
from concordia.contrib.data.questionnaires.base_questionnaire import Question, QuestionnaireBase
from concordia.environment.engines.parallel_questionnaire import ParallelQuestionnaireEngine
from concordia.environment.engines.sequential_questionnaire import SequentialQuestionnaireEngine
from concordia.prefabs.game_master import interviewer, open_ended_interviewer

from minds.concordia.concordia_model import ConcordiaModel
from minds.concordia.entity import ConcordiaEntity

AGREES = ["{player_name} does not agree", "{player_name} agrees"]


class Ease(QuestionnaireBase):
    """Two statements about how much at ease somebody is."""

    def __init__(self, questionnaire_type):
        statements = ("I am at ease here.", "I like those who are here.")
        super().__init__(
            name="Ease",
            description="How much at ease somebody is.",
            questionnaire_type=questionnaire_type,
            observation_preprompt="{player_name} is asked about the valley.",
            questions=[
                Question(preprompt="Does {player_name} agree:", statement=one, choices=AGREES, dimension="ease")
                for one in statements
            ],
            dimensions=["ease"],
        )

    def aggregate_results(self, player_answers):
        return self._default_aggregate_results(player_answers)

    def plot_results(self, results_df, label_column=None, kwargs=None): ...

    def get_dimension_ranges(self):
        return {"ease": (0, 1)}


class Questioned(ConcordiaEntity):
    """Is put a questionnaire by Concordia's questionnaire component, and thinks its answers."""

    def __init__(self, context):
        super().__init__(context, "basic")

    def act(self, observation):
        act = super().act(observation)
        master = self._master(interviewer.GameMaster, questionnaires=[Ease("multiple_choice")])
        SequentialQuestionnaireEngine().run_loop([master], [self.entity])
        component = master.get_component("questionnaire")
        answers = component.get_answers()[self.entity.name]["Ease"]
        ease = component.get_questionnaires_results().loc[self.entity.name, "ease"]
        return replace(act, thought="; ".join(one["text"] for one in answers.values()), goal=f"{ease:.1f}")

    def _master(self, prefab, **params):
        model = ConcordiaModel(self._context.model, "questionnaire")
        params = {"name": "Interviewer", "player_names": [self.entity.name], **params}
        return prefab(params=params).build(model, AssociativeMemoryBank(self._vector))

    def _vector(self, text):
        return self._context.model.wait(self._context.model.embed([text]))[0]


class Interviewed(Questioned):
    """Is interviewed by Concordia's interview component, in its own words, and thinks its answers."""

    def act(self, observation):
        act = ConcordiaEntity.act(self, observation)
        master = self._master(
            open_ended_interviewer.GameMaster, questionnaires=[Ease("open-ended")], embedder=self._vector
        )
        ParallelQuestionnaireEngine().run_loop([master], [self.entity])
        answers = master.get_component("questionnaire").get_answers()[0][self.entity.name]["Ease"]
        return replace(act, thought="; ".join(one["text"] for one in answers.values()))
