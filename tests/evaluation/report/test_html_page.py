"""Tests that the report page is complete and safe, and shows the run's numbers."""

import re
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser

import pytest
from synthetic_run import SIX, manifest, synthetic_run

from evaluation.measures import MEASURES
from evaluation.report import html_page
from evaluation.report.captions import CAPTIONS
from evaluation.report.html_page import FILTERED, ReportData, render_report, write_page
from evaluation.report.rates import HeldBack, held_back
from evaluation.report.society_section import society_section
from evaluation.social import social_structure
from language_models.embedders.hash_embedder import HashEmbedder

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """HTML parser that collects active content and fails on tags that do not nest."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.targets, self.open, self.attributes = [], [], [], [], set()
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        for key, value in attrs:
            self.attributes.add(key)
            if key == "id":
                self.ids.append(value)
            if key in ("href", "xlink:href", "src"):
                self.targets.append(value)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


EVIL = '"><script>alert(1)</script><img src=x onerror="alert(1)">{{ 7 * 7 }}'


@pytest.fixture(autouse=True)
def quick(request, monkeypatch):
    """Skip the slow figures unless a test asks for them, and reduce permutations."""
    monkeypatch.setattr(
        "evaluation.report.society_section.social_structure", partial(social_structure, permutations=99)
    )
    if "drawn" not in request.fixturenames:
        monkeypatch.setattr(html_page, "shown_figures", lambda *_: [])


def run(steps=1, **options):
    records, metrics, usage = synthetic_run(steps=steps, **options)
    return ReportData(manifest=manifest(steps), records=records, metrics=metrics, usage=usage)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Write a report of two steps with figures and links to the viewer page."""
    return write_page(replace(run(2), view="view.html"), tmp_path_factory.mktemp("drawn") / "deep" / "report.html")


def test_the_page_is_well_formed_and_complete(drawn):
    text = drawn.read_text(encoding="utf-8")
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert {target.removeprefix("#") for target in page.targets if not target.startswith("view.html#")} <= {*page.ids}
    assert page.tags.count("svg") == 6 + 5  # Five of them have a narrow form as well.
    assert page.tags.count("article") == 2 * len(SIX)
    for words in ("itcma-s", "SmolLM2-135M-Instruct", "2026-11-21 21:04 UTC", "6 min 53 s", "Time step"):
        assert words in text
    # One style sheet, and nothing that is executed or loaded.
    assert page.tags.count("style") == 1
    assert not {"script", "link", "iframe", "object", "base", "form"} & set(page.tags)
    assert not {key for key in page.attributes if key.startswith("on")}
    assert "@import" not in text
    # The same records give the same page.
    assert text == render_report(replace(run(2), view="view.html"))


def test_without_ltrha_and_elimination_there_are_fewer_figures(drawn):
    records, metrics, _ = synthetic_run(steps=2, ltrha=False, elimination=False)
    page = Page(text := render_report(ReportData(manifest={}, records=records, metrics=metrics)))
    assert page.tags.count("svg") == 4 + 3
    assert "Model calls" not in text
    assert 'id="filtered"' not in text
    assert {target.removeprefix("#") for target in page.targets} <= set(page.ids)


def test_links_lead_into_the_page_beside_it_where_there_is_one():
    one = run(3)
    filtered = sum(record["outcome"] == "filtered" for record in one.records)
    assert filtered
    assert not [target for target in Page(render_report(one)).targets if not target.startswith("#")]
    page = Page(text := render_report(replace(one, view="view.html")))
    links = [target for target in page.targets if not target.startswith("#")]
    for time in range(3):
        for name in SIX:
            assert f"view.html#step={time}&who={name}&tab=why" in links
            assert f'aria-label="Why? {name}, time step {time}"' in text
    # One a goal, one for each act that was filtered, and two at the beginning; figures have one each.
    assert len(links) == 3 * len(SIX) + len(SIX) + filtered + 2
    assert "view.html#step=2&tab=society" in links
    records = [{**record, "resident": f'{record["resident"]}&tab=find "x'} for record in run().records]
    page = Page(render_report(replace(one, records=records, view="view.html")))
    assert "view.html#step=0&who=LL%26tab%3Dfind%20%22x&tab=why" in page.targets


def planted(words):
    """Return a run whose texts are all the given words."""
    one = run(2)
    for record in one.records:
        record |= dict.fromkeys(("thought", "goal", "result", "observation", "failure", "place"), words)
        record["action"] = f"chat with LL: {words}"
        record["messages"] = [{"time": 0, "sender": words, "addressee": words, "text": words}]
        record |= {"admissible": [words], "relevance": {words: 3.0}, "protention": {words: words}}
        record |= {"explanation": {words: 0.1}, "memories": [words], "plan": [words, words]}
    one.records[0]["outcome"], one.records[1]["outcome"] = "filtered", "failed"
    for metric in one.metrics:
        metric["subject"] = metric["subject"].replace("Public Canteen", words)
    return replace(
        one,
        manifest={"model": words, words: f"</pre>{words}", "started": words},
        usage=[{**row, "module": words} for row in one.usage],
        habitus=dict.fromkeys(SIX, f"</pre>{words}"),
    )


def test_text_of_a_model_is_escaped_wherever_it_is_shown(drawn):
    page = Page(text := render_report(planted(EVIL)))
    assert not {"script", "img"} & set(page.tags)
    assert "onerror" not in page.attributes
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "{{ 7 * 7 }}" in text


def test_text_of_a_model_that_would_act_on_the_page_is_shown_instead():
    text = render_report(planted("a \ud800 b, \x1b[31m red, \u202eturned\u202c\u2066,\nthe next line"))
    assert "a ? b, ?[31m red, ?turned??,\nthe next line".replace("?", "\ufffd") in text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)


def test_names_of_residents_are_escaped_too():
    records = [
        {
            **record,
            "resident": record["resident"] + EVIL,
            "action": (record["action"] or "").replace(":", EVIL + ":", 1) or None,
        }
        for record in run(3).records
    ]
    society = society_section(records, None)
    page = Page(render_report(ReportData(manifest={}, records=records, metrics=[], society=society)))
    assert not {"script", "img"} & set(page.tags)
    assert len(page.ids) == len(set(page.ids))


def test_a_story_has_what_appendix_a_has():
    one = run()
    first = one.records[0]
    first.update(outcome="filtered", action="take toy 1 from table 6", driver=2.1855582, thought="a plain thought")
    one.records[1].update(outcome="failed", action=None, failure="no answer within 60 s")
    one.records[2].update(outcome="inadmissible", action="use moon")
    text = render_report(one)
    assert f'{FILTERED}</span> <span class="action">take toy 1 from table 6' in text
    assert "No action: no answer within 60 s" in text
    assert '(Not admissible)</span> <span class="action">use moon' in text
    for words in ("2.1856", "a plain thought", "Observation", "pleasure", "Took"):
        assert words in text


def test_numbers_of_the_headline():
    one = run()
    for record in one.records:
        record.update(outcome="executed", action='chat with LL: "hi"')
    one.records[0]["outcome"] = "filtered"
    text = render_report(one)
    # Four times someone turned to another: LL cannot turn to LL.
    for value, label in (("83%", "of 6 actions"), ("1", "filtered"), ("4", "times someone"), ("2.17", "model calls")):
        assert f"<b>{value}</b><span>{label}" in text


def test_usage_adds_up():
    counts = {"calls": 24, "prompt_tokens": 1200, "cached_tokens": 600, "generated_tokens": 240}
    failures = {"retries": 3, "failures": 1, "refusals": 0}
    rows = [{"module": name, **counts, **failures, "seconds": 6.0, "waiting": 2.0} for name in ("action", "goal")]
    text = render_report(replace(run(2), manifest={}, usage=rows))
    for words in (">48<", ">2,400<", ">1,200<", ">480<", ">12.0<", ">4.00<", ">200.0<", ">40.0<", ">1.00<"):
        assert words in text


def test_elimination_is_measured_by_the_threshold_of_the_run():
    one = run()
    for record in one.records:
        record["relevance"] = {"wait": 2.0}
    for threshold in (1.5, 2.5):
        mind = {"parameters": {"elimination_threshold": threshold}}
        text = render_report(replace(one, manifest={"configuration": {"effective": {"mind": mind}}}))
        assert ("nothing reached the threshold" in text) is (threshold > 2)


def test_a_limit_shortens_the_stories_alone():
    text = render_report(run(6), limit=2)
    assert Page(text).tags.count("article") == 2 * len(SIX)
    assert "The first 2 of 6 time steps" in text
    assert "of 36 actions carried out" in text


def test_what_is_no_run_is_refused():
    with pytest.raises(ValueError, match="at least one record"):
        render_report(replace(run(), records=[]))
    with pytest.raises(ValueError, match="at least 1 time step, got 0"):
        render_report(run(), limit=0)
    one = run()
    del one.records[2]["thought"]
    with pytest.raises(ValueError, match="MD at time step 0 lacks 'thought'"):
        render_report(one)


def facts(effective=(), models=()):
    """Return the labels and values in the header of a page."""
    configuration = {"configuration": {"effective": dict(effective)}, "models": dict(models)}
    text = render_report(replace(run(), manifest=configuration))
    return dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", text))


def test_facts_are_found_in_the_effective_configuration():
    found = facts({"architecture": "driver", "seed": 0, "mind": {"ablate": ["retention"]}})
    assert found["Architecture"] == "driver"
    assert found["Decisions lack"] == "retention"
    assert found["Seed"] == "0"
    assert "Model files asked" not in found


@pytest.mark.parametrize(("serving", "way"), [("exact", "exactly"), ("fast", "fast")])
def test_models_are_named_with_their_adapters_and_how_their_files_were_asked(serving, way):
    files = {"weights.gguf": "0" * 64, "adapter/<b>x.gguf": "ab" * 32}
    found = facts(
        {"model": {"serving": serving}},
        {
            "model": {"name": "scripted", "sha256": {}},
            "action model": {"name": "smollm2", "sha256": files},
            "embedder": {"name": "hash", "sha256": {}},
        },
    )
    assert found["Model"] == "scripted"
    assert found["Action model"] == "smollm2 with the adapter &lt;b&gt;x.gguf (abababababab)"
    assert found["Model files asked"].startswith(way)


def test_the_society_has_a_section_with_its_network_its_p_values_and_counts_that_are_whole():
    one = run(6)
    section = society_section(one.records, HashEmbedder())
    page = Page(text := render_report(replace(one, society=section)))
    assert page.tags.count("svg") == 1
    assert "society" in page.ids
    assert len(page.ids) == len(set(page.ids))
    for words in ("Is there a clique around the leader?", "division_of_labour", "thought_action", "Talk and promises"):
        assert words in text
    assert "are left out" not in text
    row = text[text.index("<small>lines</small>") :].partition("</tr>")[0]
    society, *each = [int(value) for value in re.findall(r'<td class="n">([^<]*)</td>', row)]
    assert society == sum(each) > 0
    assert "Talk <small>of all residents together</small>" in text
    assert "Exploration</th>" in text
    assert MEASURES["places"].to_text(60.0) == "60"
    assert MEASURES["places"].to_text(3.6667) == "3.67"
    assert MEASURES["gini"].to_text(1.0) == "1.00"


def test_captions_say_nothing_of_residents():
    """What the paper's WL and MD did would read as if it were this run's."""
    assert not re.search(rf"\b({'|'.join(SIX)})\b", str(CAPTIONS))


def test_what_needs_an_embedder_is_left_out_of_the_society():
    section = society_section(run(3).records, None)
    absent = ", ".join(one.name for one in MEASURES.values() if one.embedder)
    assert [note.partition(" left out")[0] for note in section.notes] == [
        f"The run's embedder is not here, so that {absent} are",
    ]
    assert section.measures.query("measure == 'places' and level == 'society'")["value"].notna().all()
    assert society_section([], None) is None


def test_the_page_says_how_often_each_was_held_back_and_what_standing_did():
    """By hand: A has more than B and is never held back, B twice of three times, in a row."""
    amounts = {"A": 4.0, "B": 0.0}
    lived = [
        {"time": time, "resident": name, "resources": amounts[name], "outcome": outcome, "action": "use chair 1"}
        for time, outcomes in enumerate([("executed", "executed"), ("executed", "filtered"), ("failed", "filtered")])
        for name, outcome in zip("AB", outcomes, strict=True)
    ]
    rates = {(time, name): {"A": 0.99, "B": 0.75}[name] for time in range(3) for name in "AB"}
    rows, compared = held_back([*lived, {**lived[0], "time": 3, "action": None}], rates)
    assert rows == [HeldBack("B", 3, 2, 0.75, 2), HeldBack("A", 2, 0, 0.99, 0)]
    assert "0 of 2 were held back; of those with less than most others, 1 of 2." in compared
    page = render_report(run(20))
    filtered = [record for record in run(20).records if record["outcome"] == "filtered"]
    section = page.partition('id="filtered"')[2].partition("</table>")[0]
    assert section.count("</tr>") == 1 + len(SIX)
    assert f"{sum(record['resident'] == 'AY' for record in filtered)}</td>" in section


def test_the_rate_of_each_step_is_the_one_that_was_decided_under():
    def rates(run):
        return [float(shown) for shown in re.findall(r"<i>rate</i>([0-9.]+)<", render_report(run))]

    # Resources of 1 each: by Eq. 18 as printed, and by shares of a sixth.
    assert set(rates(run())) == {0.87}
    by_share = {"configuration": {"effective": {"ltrha": {"resource_mode": "share"}}}}
    assert set(rates(replace(run(), manifest=by_share))) == {0.77}
    left = [{"time": 0, "subject": name, "quantity": "rate", "value": 0.123} for name in SIX]
    assert rates(replace(run(2), metrics=[*run(2).metrics, *left]))[:2] == [0.87, 0.12]
