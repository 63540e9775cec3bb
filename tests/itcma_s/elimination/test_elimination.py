import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import EMBEDDER, run

from irollan_env.actions import Action
from itcma_s.elimination import elimination
from itcma_s.elimination.elimination import GOALS_KEPT, EmbeddingScorer, ModelScorer, description, question
from itcma_s.model_calls import ModelCalls
from language_models.scripted import ScriptedModel

ACTIONS = ("go to outside", "leave LL's Home", "use bed 2", "take book 1 from bookshelf 1", "chat with SG: ...")
SCORES = st.floats(1.0, 5.0)


def scored(scorer, goal, actions):
    return run(scorer.score(goal, tuple(map(Action, actions)), ModelCalls("MD", 3)))


def eliminate(relevance, *threshold):
    return elimination.eliminate({Action(action): score for action, score in relevance.items()}, *threshold)


SPACES = st.dictionaries(
    st.one_of(st.integers(0, 20).map("use bed {}".format), st.sampled_from("ABCDEF").map("chat with A{}: ...".format)),
    SCORES,
    min_size=1,
)


@given(SPACES, SCORES)
def test_what_is_left_is_relevant_or_best(relevance, threshold):
    left = eliminate(relevance, threshold)
    assert left
    assert list(left) == [action for action in relevance if action in left]
    assert {action for action, score in relevance.items() if score >= threshold} <= set(left)
    assert any(relevance[action] == max(relevance.values()) for action in left)
    chats = [action for action in relevance if action.startswith("chat with")]
    if chats:
        assert any(
            relevance[action] == max(relevance[chat] for chat in chats)
            for action in left
            if action.startswith("chat with")
        )
    assert sum(relevance[action] < threshold for action in left) <= 2


def test_what_is_left_by_hand():
    relevance = {"go to outside": 3.0, "use bed 2": 2.99, "chat with SG: ...": 1.5, "chat with LL: ...": 1.2}
    assert eliminate(relevance) == ("go to outside", "chat with SG: ...")
    assert eliminate(relevance, 5.0) == ("go to outside", "chat with SG: ...")
    assert eliminate(relevance, 1.0) == tuple(relevance)


@pytest.mark.parametrize(
    ("relevance", "threshold", "message"),
    [
        ({}, 3.0, "the action space is empty; elimination needs at least one action"),
        ({"use bed 2": 3.0}, 0.9, "'threshold' must lie in [1, 5], got 0.9"),
        ({"use bed 2": 3.0}, 5.1, "'threshold' must lie in [1, 5], got 5.1"),
        ({"use bed 2": 3.0}, math.nan, "'threshold' must lie in [1, 5], got nan"),
        ({"use bed 2": 0.0}, 3.0, "'use bed 2' must lie in [1, 5], got 0.0"),
        ({"go to outside": 3.0, "use bed 2": 6.0}, 3.0, "'use bed 2' must lie in [1, 5], got 6.0"),
        ({"use bed 2": math.nan}, 3.0, "'use bed 2' must lie in [1, 5], got nan"),
    ],
)
def test_bad_values_are_named(relevance, threshold, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        eliminate(relevance, threshold)


def test_the_prompt_of_section_3_4():
    assert f"{description('rest', ('go to outside', 'use bed 2'))} {question('use bed 2')}" == (
        "Your task is to: rest. The actions you can take are: go to outside, use bed 2. The use bed 2 will be relevant?"
    )


@settings(max_examples=30)
@given(st.text(max_size=60))
def test_embeddings_score_within_range(goal):
    scores = scored(EmbeddingScorer(EMBEDDER), goal or "live", ACTIONS)
    assert list(scores) == list(ACTIONS)
    assert all(1.0 <= score <= 5.0 for score in scores.values())
    assert scores["go to outside"] >= 3.2
    assert scores["leave LL's Home"] >= 3.2
    assert eliminate(scores)
    assert scored(EmbeddingScorer(EMBEDDER), "rest", []) == {}


class Cosines:
    """An embedder by which some sentences have a known cosine with the goal "rest", and all others 0; notes what it is
    asked to have at hand."""

    name = "cosines"
    dimension = 2

    def __init__(self, cosines):
        self._cosines = {"rest": 1.0, "I rest.": 1.0, **cosines}
        self.ahead = []

    def embed(self, texts):
        cosines = np.array([self._cosines.get(text, 0.0) for text in texts])
        return np.stack((cosines, np.sqrt(1.0 - cosines**2)), axis=1).astype(np.float32)

    async def prefetch(self, texts):
        self.ahead.append(tuple(texts))


@pytest.mark.parametrize(
    ("cosine", "score"),
    [(-0.5, 1.0), (0.0, 1.0), (0.05, 1.0), (0.1375, 2.0), (0.225, 3.0), (0.3125, 4.0), (0.4, 5.0), (0.9, 5.0)],
)
def test_scores_grow_with_the_cosine_from_what_is_unrelated_to_what_says_the_same(cosine, score):
    """1 + 4 (cosine - 0.05) / (0.40 - 0.05), within [1, 5]; of several meanings the closest counts."""
    scorer = EmbeddingScorer(Cosines({"I use the sofa.": cosine, "I look at the sofa.": -0.9}))
    assert scored(scorer, "rest", ["use sofa 1"])["use sofa 1"] == pytest.approx(score, abs=1e-5)


def test_the_way_out_just_passes_where_it_has_nothing_to_do_with_the_goal():
    scores = scored(EmbeddingScorer(Cosines({})), "rest", (*ACTIONS[:2], "leave SG", "chat with SG: ..."))
    assert scores == {"go to outside": 3.2, "leave LL's Home": 3.2, "leave SG": 1.0, "chat with SG: ...": 1.0}
    assert eliminate(scores) == (*ACTIONS[:2], "chat with SG: ...")


def test_to_leave_whom_or_what_the_goal_names_is_not_what_it_names():
    goal = "talk with SG in LL's Home"
    scorer = EmbeddingScorer(Cosines({goal: 1.0, f"I {goal}.": 1.0}))
    actions = ("go to LL's Home", "leave LL's Home", "chat with SG: ...", "leave SG")
    assert tuple(scored(scorer, goal, actions).values()) == (4.0, 3.2, 4.0, 1.0)


@pytest.mark.parametrize(("topic", "score"), [("book", 5.0), ("toy", 5.0), ("clothes", 4.0)])
def test_a_talk_may_be_about_the_first_two_things_of_the_goal(topic, score):
    """What the goal names scores at least 4, so that SG does in any case."""
    goal = "ask SG for book 1, toy 2 and clothes 3"
    embedder = Cosines({goal: 1.0, f"I {goal}.": 1.0, f"I ask SG about the {topic}.": 1.0})
    actions = ["chat with SG: ...", "use book 1", "use toy 2", "use clothes 3"]
    scores = scored(EmbeddingScorer(embedder), goal, actions)
    assert scores["chat with SG: ..."] == pytest.approx(score, abs=1e-5)


def test_sentences_are_asked_for_once_all_of_a_step_together():
    embedder = Cosines({})
    scorer = EmbeddingScorer(embedder)
    scored(scorer, "rest", ["use sofa 1", "use harp 5"])
    assert embedder.ahead == [
        ("rest", "I rest.", "I use the sofa.", "I look at the sofa.", "I use the harp.", "I look at the harp.")
    ]
    scored(scorer, "rest", ["use harp 5", "use sofa 1"])
    assert len(embedder.ahead) == 1
    scored(scorer, "rest", ["use harp 5", "use globe 7"])
    assert embedder.ahead[1:] == [("rest", "I rest.", "I use the globe.", "I look at the globe.")]


class Asked(ScriptedModel):
    """Notes what it was asked to score, and to write."""

    def __init__(self, **plan):
        super().__init__(**plan)
        self.prompts = []
        self.written = []
        self.options = []

    async def generate(self, request):
        self.written.append(request.prompt)
        self.options.append(request)
        return await super().generate(request)

    async def score(self, prompt, continuations, *, caller):
        self.prompts.append((prompt, tuple(continuations)))
        return await super().score(prompt, continuations, caller=caller)


EVEN, YES, NO = (-1.0, -1.0), (-1.0, -1.0 - math.log(3)), (-800.0, 0.0)


def test_a_model_is_asked_about_each_action_once_while_the_goal_holds():
    model = Asked(outputs=[EVEN, YES, NO, YES, NO])
    scorer = ModelScorer(model)
    first = scored(scorer, "rest", ACTIONS[:2])
    # 1 + 4 * P(yes): 1 + 4 / 2, and 1 + 4 * 3 / 4
    assert first == pytest.approx({"go to outside": 3.0, "leave LL's Home": 4.0})
    again = scored(scorer, "rest", (ACTIONS[2], *ACTIONS[:2]))
    assert again == pytest.approx({"use bed 2": 1.0, **first})
    assert scored(scorer, "rest", ACTIONS[1:3]) == {action: again[action] for action in ACTIONS[1:3]}
    changed = scored(scorer, "read", ACTIONS[:2])
    assert changed == pytest.approx({"go to outside": 4.0, "leave LL's Home": 1.0})
    eliminate(changed)
    two = "The actions you can take are: go to outside, leave LL's Home."
    three = "The actions you can take are: use bed 2, go to outside, leave LL's Home."
    assert [prompt for prompt, _ in model.prompts] == [
        f"Your task is to: rest. {two} The go to outside will be relevant?",
        f"Your task is to: rest. {two} The leave LL's Home will be relevant?",
        f"Your task is to: rest. {three} The use bed 2 will be relevant?",
        f"Your task is to: read. {two} The go to outside will be relevant?",
        f"Your task is to: read. {two} The leave LL's Home will be relevant?",
    ]
    assert {answers for _, answers in model.prompts} == {(" Yes", " No")}


def test_what_somebody_says_does_not_make_the_scores_of_the_goal_forgotten():
    model = ScriptedModel()
    scorer = ModelScorer(model)
    first = scored(scorer, "rest", ACTIONS)
    for number in range(GOALS_KEPT - 1):
        scored(scorer, f"Come here, {number}", ACTIONS)
    assert scored(scorer, "rest", ACTIONS) == first
    assert model.calls == GOALS_KEPT * len(ACTIONS)
    for number in range(GOALS_KEPT):
        scored(scorer, f"Go there, {number}", ACTIONS)
    scored(scorer, "rest", ACTIONS)
    assert model.calls == (2 * GOALS_KEPT + 1) * len(ACTIONS)
    assert len(scorer.get_state()["known"]) == GOALS_KEPT


def test_a_model_that_tells_no_probabilities_writes_digits():
    model = ScriptedModel(outputs=["1: 3\n2: 5", "1: 1\n", "1: 9\n2: 1"])
    scorer = ModelScorer(model, way="digits")
    assert scored(scorer, "rest", ACTIONS[:2]) == {"go to outside": 3.0, "leave LL's Home": 5.0}
    assert scored(scorer, "rest", ACTIONS[:3])["use bed 2"] == 1.0
    assert scored(scorer, "read", ACTIONS[:2]) is None  # Its answer has not the form.
    many = [f"use bed {number}" for number in range(40)]
    scores = scored(ModelScorer(ScriptedModel(), way="digits"), "rest", many)
    assert list(scores) == many
    assert set(scores.values()) == {1.0, 2.0, 3.0, 4.0, 5.0}


def test_digits_are_asked_for_what_has_none_by_its_number():
    model = Asked()
    scorer = ModelScorer(model, way="digits")
    scored(scorer, "rest", ACTIONS[:2])
    scored(scorer, "rest", (*ACTIONS[:2], "use sofa 1"))
    asked = "\nHow relevant will each be, from 1, not at all, to 5, very?\n"
    assert model.written == [
        "Your task is to: rest. The actions you can take are: 1. go to outside, 2. leave LL's Home." + asked,
        "Your task is to: rest. The actions you can take are: 1. use sofa 1." + asked,
    ]
    # Room for as many lines as there are answers, and none of them left to chance.
    first, then = model.options
    assert first.max_tokens == 2 * then.max_tokens
    assert first.temperature == then.temperature == 0.0


@pytest.mark.parametrize("way", ["probability", "digits"])
def test_a_restored_scorer_asks_only_for_what_it_was_not_asked(way):
    scorer = ModelScorer(ScriptedModel(), way=way)
    scores = scored(scorer, "rest", ACTIONS[:3])
    model = ScriptedModel()
    other = ModelScorer(model, way=way)
    other.set_state(json.loads(json.dumps(scorer.get_state())))
    assert scored(other, "rest", ACTIONS[:3]) == scores
    assert model.calls == 0
    scored(other, "rest", ACTIONS)
    assert model.calls == (1 if way == "digits" else len(ACTIONS) - 3)
    other.set_state(None)
    assert other.get_state() == {"known": {}}


@pytest.mark.parametrize("score", ["x", None, 0.9, 5.1, math.nan])
def test_saved_scores_are_checked(score):
    scorer = ModelScorer(ScriptedModel())
    scorer.set_state({"known": {"rest": {"use bed 2": 4.0}}})
    with pytest.raises(ValueError, match=r"score of 'use bed 2' for 'read' must be a number in \[1, 5\], got"):
        scorer.set_state({"known": {"read": {"use bed 2": score}}})
    assert scorer.get_state() == {"known": {"rest": {"use bed 2": 4.0}}}


def test_a_model_that_gives_no_scores_is_asked_ever_less_often_until_it_does():
    asked = []
    model = ScriptedModel(fail_on=lambda caller, _: asked.append(caller.time) or caller.time < 14)
    scorer, found = ModelScorer(model, way="digits"), []
    for time in range(20):
        calls = ModelCalls("LL", time)
        found.append(run(scorer.score(f"rest {time}", ACTIONS[:2], calls)))
        fresh = ModelScorer(model, way="digits")
        fresh.set_state(json.loads(json.dumps(scorer.get_state())))
        scorer = fresh
    assert asked == [0, 2, 6, 14, *range(15, 20)]
    assert [time for time, scores in enumerate(found) if scores is None] == list(range(14))


def test_scores_that_are_kept_are_those_of_a_scorer_that_never_scored():
    kept = EmbeddingScorer(EMBEDDER)
    for goal in ("rest", "talk with SG", "read book 1", "eat", "wash", "rest", "talk with SG"):
        for actions in (ACTIONS[:2], ACTIONS):
            fresh = scored(EmbeddingScorer(EMBEDDER), goal, actions)
            assert scored(kept, goal, actions) == fresh
    assert len(kept._known) == GOALS_KEPT
