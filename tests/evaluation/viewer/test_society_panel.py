"""What is said of the society up to a step, held against events.jsonl."""

from viewed import go, panel


def test_those_who_are_level_are_named_together(open_page, address):
    page = open_page(f"{address}#step=39&tab=society")
    assert "WL and LL were turned to most (21 times each)" in panel(page)


def test_after_one_step_nothing_is_counted(open_page, address):
    page = open_page(f"{address}#step=0&tab=society")
    told = panel(page)
    assert " most (" not in told
    assert "-" not in told[: told.index("Who turned to whom")]


def test_a_circle_chooses_its_resident(open_page, address):
    page = open_page(f"{address}#step=12&tab=society")
    page.locator(".node", has_text="SG").click()
    assert page.evaluate("location.hash") == "#step=12&who=SG&tab=society"
    assert page.locator(".node.chosen").get_attribute("aria-label").startswith("SG")


def test_held_back_is_said_with_its_odds(open_page, address):
    """SG has 5.77 of 45.27 in step 10: Eq. 18 by shares gives 0.766."""
    page = open_page(f"{address}#step=10&who=SG&tab=why")
    assert "SG's were 77\xa0%, with resources of 5.77" in panel(page)
    go(page, "#step=10&tab=step")
    assert "They act one after another: " in panel(page)
    assert "SG's were 77\xa0%" in panel(page)
