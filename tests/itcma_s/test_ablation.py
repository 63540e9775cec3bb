"""What is taken from a decision is taken from what deliberation is told, and nothing else is."""

from dataclasses import replace

import pytest
from leading import LeadingModel
from led import context_of
from scenes import EMBEDDER, observe, run

from itcma_s.ablation.decision_inputs import NO_CHANGE, DecisionInputs, ablated_context
from itcma_s.ablation.expecting import Expecting
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.memory.channel import Moment
from itcma_s.protention.place_imagination import PlaceImagination
from itcma_s.protention.protention import Protention, being_in
from itcma_s.protention.protention_model import ProtentionModel

TABLE = NameTable(EMBEDDER)
HOME, CANTEEN = Field.from_names(["bed 2"], TABLE), Field.from_names(["SG", "table 9"], TABLE)
STAY, GO = "use bed 2", "go to Public Canteen"


@pytest.mark.parametrize("eliminates", [True, False])
def test_deliberation_is_told_what_it_lacks_and_whether_actions_are_eliminated(eliminates):
    context = context_of(observe(admissible=("use bed 2",)), LeadingModel())
    assert context.mechanisms.elimination
    given = DecisionInputs(
        observation=context.observation,
        present=context.present,
        retention=(),
        memories=(),
        activated=(),
        imagination=context.imagination,
        emotion=context.emotion,
        driver=context.driver,
        causes={},
        eliminates=eliminates,
        lacks=frozenset({"pleasure"}),
    )
    found = ablated_context(context, given)
    assert found.mechanisms.elimination is eliminates
    assert found == replace(context, lacks=frozenset({"pleasure"}), mechanisms=found.mechanisms)


def expected(monkeypatch, instead):
    """What is expected of staying in LL's house, where WL is, and of going to the canteen, where SG is."""

    async def protend(self, *asked, **more):
        return [
            Protention(STAY, "I lie on the bed.", lambda: HOME, "LL's Home", ("WL",), "rule", None),
            Protention(GO, "I may find food 4.", lambda: CANTEEN, "Public Canteen", ("SG",), "memory", None),
        ]

    monkeypatch.setattr(ProtentionModel, "protend", protend)
    expecting = Expecting(TABLE, PlaceImagination(LeadingModel(), None, "instruct"))
    expecting.instead = instead
    moment = Moment(present=HOME, imagination=HOME, retention=(), driver=0.0)
    found = run(expecting.protend(observe("LL's Home", people=["WL"]), moment=moment))
    return {one.action: one for one in found}


def test_without_protention_a_way_still_leads_where_it_leads(monkeypatch):
    found = expected(monkeypatch, NO_CHANGE)
    assert [(one.place, one.company) for one in found.values()] == [("LL's Home", ("WL",)), ("Public Canteen", ())]
    assert [one.foresee() for one in found.values()] == [HOME, HOME]
    assert found[GO].sentence == being_in("Public Canteen") + "."
    assert found[STAY].sentence == being_in("LL's Home") + "."


def test_what_is_dealt_out_is_what_is_expected_and_not_where_a_way_leads(monkeypatch):
    whole = expected(monkeypatch, None)
    dealt = [expected(monkeypatch, seed) for seed in range(8)]
    assert all(one[action].place == whole[action].place for one in dealt for action in (STAY, GO))
    assert {one[GO].company for one in dealt} == {("SG",), ("WL",)}
    assert {one[GO].sentence for one in dealt} == {"I may find food 4.", "I lie on the bed."}
