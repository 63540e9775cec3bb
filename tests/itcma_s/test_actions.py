"""Words for every primitive, so that a new one is not forgotten."""

import pytest

from irollan_env.actions import FORMS, Action, Primitive
from irollan_env.english import phrase
from itcma_s.actions import IN_GENERAL, expected_sentence, meanings


@pytest.mark.parametrize("primitive", Primitive)
def test_every_primitive_is_worded_and_expected(primitive):
    (form,) = (form for form in FORMS if form.startswith(f"{primitive} "))
    action = Action(form.replace("SOMEWHERE/", "").replace("SOMEONE", "LL"))
    assert action.primitive is primitive
    assert phrase(action) != phrase(action, "gerund")
    assert len(meanings(action)) >= 1
    assert expected_sentence(action, None, "outside")[0].endswith(".")
    assert IN_GENERAL[primitive]
