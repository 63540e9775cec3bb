"""Tests of the page in a real browser against events.jsonl."""

import random
import re

import pytest
from viewed import LIFE, copy_of_life, go, panel, recorded, step_of

from evaluation.records.interactions import partner, residents
from evaluation.viewer.html_page import write_view
from evaluation.viewer.poses import landmarks, pose_of
from irollan_env.map.valley_map import ValleyMap
from language_models.transcript.recorded_calls import RecordedCalls

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no test in a browser")


def test_the_picture_agrees_with_the_records_at_random_moments(page):
    marks = landmarks(ValleyMap.default())
    for time, name in random.Random(3).sample(sorted(step_of()), 25):
        record = step_of()[time, name]
        go(page, f"#step={time}&who={name}&tab=resident")
        person = page.locator(f".person[data-name={name}]")
        x, y = map(float, person.get_attribute("data-at").split())
        pose = pose_of(record["percepts"], marks[record["place"]])
        assert (x, y) == pytest.approx(pose[:2], abs=0.01)
        held = [one["name"] for one in record["percepts"] if one["held"]]
        assert person.get_attribute("data-holds") == "; ".join(held)
        assert person.get_attribute("aria-label").startswith(f"{name} in {record['place']}: ")
        box, (west, south, east, north) = person.locator(".disc").bounding_box(), on_screen(page, record["place"])
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        assert west <= middle[0] <= east
        assert north <= middle[1] <= south
        bubble = page.locator(".bubble").filter(
            has=page.locator(".head > b:first-child", has_text=re.compile(f"^{name}$"))
        )
        said = re.match(r'chat with (\w+): "(.*)"$', record["action"] or "", re.DOTALL)
        if record["action"] is None:
            assert bubble.count() == 0
        elif said:
            assert bubble.locator(".text").inner_text() == said[2]
            assert f"→ {said[1]}" in bubble.locator(".head").inner_text()
        assert bubble.locator("i").all_inner_texts() == (["filtered"] if record["outcome"] == "filtered" else [])
        words = panel(page)
        assert record["thought"] in words
        assert record["goal"] in words
        shown = f"Pleasure {record['pleasure']:.2f}".replace("-", "−")
        assert shown in words


def test_the_fields_are_those_of_the_records(page):
    """Check the fields shown: perceived, remembered, blended, and the next perceived."""
    blended = [key for key, record in sorted(step_of().items()) if record["imagination"] and key[0] < 39]
    for time, name in random.Random(5).sample(blended, 6):
        go(page, f"#step={time}&who={name}&tab=resident")
        sync_api.expect(page.locator(".moment-shown")).to_have_text(f"step {time}")
        drawn = dict(
            one.split(": ")
            for one in page.locator("#panel .field svg").evaluate_all(
                "all => all.map((one) => one.getAttribute('aria-label'))"
            )
        )
        assert list(drawn) == ["Seen", "Remembered", "Imagined", "What came"]
        now, then = step_of()[time, name], step_of()[time + 1, name]
        for caption, record in (("Seen", now), ("What came", then)):
            assert drawn[caption] == ", ".join(one["name"] for one in record["percepts"] if not one["held"])
        held = {one["name"] for one in now["percepts"] if one["held"]}
        assert drawn["Imagined"] == ", ".join(row[0] for row in now["imagination"] if row[0] not in held)


def on_screen(page, place):
    """Return the rectangle of a place in pixels: west, south, east, north."""
    return page.evaluate(
        """place => {
          const titles = [...document.querySelectorAll(".map title")];
          const title = titles.find((one) => one.textContent.split(":")[0] === place);
          const { left, right, top, bottom } = title.parentElement.getBoundingClientRect();
          return [left, bottom, right, top];
        }""",
        place,
    )


def tokens_of(call):
    """Return the token counts of a recorded call."""
    transcript = RecordedCalls(LIFE / "transcript.sqlite")
    try:
        usage = next(one.usage for one in transcript.calls() if one.usage.call == call)
    finally:
        transcript.close()
    return usage.prompt_tokens + usage.generated_tokens


def test_a_link_opens_the_moment_the_resident_and_the_call(open_page, address):
    page, then = open_page(f"{address}#step=12&who=SG&call=120001"), step_of()[12, "SG"]
    assert then["calls"] == [120001]
    assert panel(page).startswith(f"Why SG spoke to {partner(then, residents(recorded()))}")
    call = page.locator("#call-120001")
    assert call.get_attribute("open") is not None
    prompts = call.locator("pre").all_inner_texts()
    assert any(f"Your goal (since step 0): {then['goal']}." in one for one in prompts)
    assert f"1 call, {tokens_of(120001):,} tokens" in panel(page)
    page.get_by_role("link", name="step 0", exact=True).first.click()
    sync_api.expect(page.locator(".moment-shown")).to_have_text("step 0")
    assert page.evaluate("location.hash") == "#step=0&who=SG&tab=why"


def test_a_link_to_a_call_alone_finds_who_made_it(page):
    go(page, "#step=3&who=LL&tab=step")
    go(page, "#step=12&call=120001")
    assert panel(page).startswith("Why SG spoke to ")


def test_a_link_to_what_is_not_there_shows_what_is(open_page, address):
    page = open_page(f"{address}#%")
    for link in ("", "#step=9999", "#step=x&who=Nobody&tab=zzz", "#call=77", "#step=-3"):
        page.evaluate("link => { location.hash = link; }", link)
        assert page.locator(".moment-shown").inner_text() in ("step 0", "step 39")
        assert panel(page)


def test_who_heard_it_and_what_they_did_then(page):
    """Forward from words: MD says to LL in step 36 why it left the canteen, and LL answers."""
    go(page, "#step=36&who=MD&tab=why")
    followed = page.locator(".chain > li", has_text="What followed")
    assert "Who heard it" in followed.inner_text()
    assert "Then today they will speak with you" in followed.inner_text()


def test_a_thing_is_traced_through_hands(open_page, address):
    page = open_page(address)
    page.locator("#tab-find").click()
    page.get_by_label("A thing, a word, a name").fill("beefsteak")
    page.get_by_role("button", name="Trace").click()
    text = panel(page)
    hands = text[text.index("Whose hands it was in") :]
    assert hands.index("LL, step 2") < hands.index("MD, step 8")
    assert page.evaluate("location.hash") == "#step=0&tab=find&find=beefsteak"
    assert page.locator(".hit").count() > 2


def test_a_goal_is_no_thought_and_what_is_suggested_is_found(page):
    goals = {one["goal"] for one in recorded()}
    goal = next(one for one in sorted(goals) if not any(one in record["thought"] for record in recorded()))
    go(page, f"#step=0&find={goal}&tab=find")
    rows = page.locator(".trace li").all_inner_texts()
    assert rows
    assert all("has the goal" in row for row in rows)
    suggested = page.locator("#find-note a").all_inner_texts()
    assert len(suggested) == 3
    for term in suggested:
        go(page, f"#step=0&find={term}&tab=find")
        assert "Found in" in panel(page), term


def test_food_1_is_not_found_in_food_12(page):
    go(page, "#step=0&find=food 1&tab=find")
    rows = page.locator(".trace li").all_inner_texts()
    assert not any(re.search(r"food 1\d", row) and not re.search(r"food 1(?!\d)", row) for row in rows)


def test_two_runs_side_by_side_with_what_differs(open_page, tmp_path):
    def change(record):
        if record["time"] == 2 and record["resident"] == "WM":
            record.update(action="use chair 1", outcome="executed")

    one, other = copy_of_life(tmp_path / "one", steps=4), copy_of_life(tmp_path / "other", steps=4, change=change)
    write_view([one, other], tmp_path / "page.html")
    page = open_page((tmp_path / "page.html").as_uri())
    assert page.locator(".stage").count() == 2
    assert page.locator(".hit").count() == 1
    go(page, "#step=2")
    assert page.locator(".person.marked").evaluate_all("all => all.map((one) => one.dataset.name)") == ["WM", "WM"]
    assert "there: uses chair 1" in panel(page)
    page.get_by_role("button", name="other", exact=True).click()
    assert "uses chair 1" in panel(page)


def test_the_letters_on_the_map_are_explained(page):
    go(page, "#step=3&tab=step")
    names = [f"{one.name} {one.display_name}" for one in ValleyMap.default().residents]
    assert sorted(page.locator("#panel .key span:has(b)").all_inner_texts()) == sorted(names)


def test_every_word_said_in_a_step_is_shown(page):
    for time in (6, 39):
        go(page, f"#step={time}&tab=step")
        text = panel(page)
        for record in recorded():
            if record["time"] == time and record["action"] and record["action"].startswith("chat with"):
                assert record["action"].split(': "', 1)[1][:-1] in text
