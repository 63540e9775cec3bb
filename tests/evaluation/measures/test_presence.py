"""Whom a resident could turn to when it turned to somebody."""

from social_scenes import chat, record

from evaluation.measures import actions, turns


def offering(names, **values):
    return record(admissible=[f"chat with {name}: ..." for name in names], **values)


def present(records):
    held = turns(actions(records))
    return dict(zip(held["sender"], held["present"], strict=True))


def test_whoever_went_in_the_same_step_may_have_been_gone():
    # All decide at once; LL goes away, and nobody knows whether before AY spoke.
    records = [
        offering(("SG", "MD", "LL"), resident="AY", action=chat("SG")),
        offering(("AY", "MD", "LL"), resident="SG"),
        offering(("AY", "SG", "LL"), resident="MD", action=chat("LL")),
        offering(("AY", "SG", "MD"), resident="LL", action="go to LL's Home"),
    ]
    assert present(records) == {"AY": ("SG", "MD"), "MD": ("LL",)}


def test_who_wanted_to_go_and_could_not_was_there():
    records = [
        offering(("SG", "LL"), resident="AY", action=chat("SG")),
        offering(("AY", "LL"), resident="SG"),
        offering(("AY", "SG"), resident="LL", action="go to LL's Home", outcome="filtered"),
    ]
    assert present(records) == {"AY": ("SG", "LL")}


def test_where_residents_take_turns_those_who_were_offered_were_there():
    # LL came before AY's turn, MD went before it; SG goes after it.
    records = [
        offering(("SG", "LL"), resident="AY", action=chat("SG")),
        offering(("AY", "LL"), resident="SG", action="go to SG's Home"),
        offering(("AY", "SG"), resident="MD", action="go to MD's Home"),
        offering((), resident="LL", action="go to outside", place="LL's Home"),
    ]
    assert present(records) == {"AY": ("SG", "LL")}


def test_without_offers_the_company_was_there():
    records = [record(resident="AY", action=chat("SG")), record(resident="SG"), record(resident="MD")]
    assert present(records) == {"AY": ("SG", "MD")}
    # Who was turned to was there, whatever place its own record has.
    records = [record(resident="AY", action=chat("LL")), record(resident="LL", place="LL's Home")]
    assert present(records) == {"AY": ("LL",)}
