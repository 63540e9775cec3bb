import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from synthetic_run import SIX, manifest, synthetic_run

from evaluation.measures import MEASURES
from evaluation.report.html_page import FILTERED, ReportData, render_report, write_page
from evaluation.report.society_section import society_section
from language_models.embedders.hash_embedder import HashEmbedder

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """Collects what a browser would act on, and fails on tags that do not nest."""

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


def run(steps=6, **options):
    records, metrics, usage = synthetic_run(steps=steps, **options)
    return ReportData(manifest=manifest(steps), records=records, metrics=metrics, usage=usage)


def text_of(run, **options):
    return render_report(run, **options)


def test_page_is_well_formed_and_complete(tmp_path):
    path = write_page(run(), tmp_path / "deep" / "report.html")
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert {target.removeprefix("#") for target in page.targets} <= set(page.ids)
    assert page.tags.count("svg") == 6 + 5  # Five of them have a narrow form as well.
    assert page.tags.count("article") == 6 * len(SIX)
    for words in ("itcma-s", "SmolLM2-135M-Instruct", "2026-11-21 21:04 UTC", "6 min 53 s", "Time step"):
        assert words in text
    # One style sheet, and nothing that runs or reaches out.
    assert page.tags.count("style") == 1
    assert not {"script", "link", "iframe", "object", "base", "form"} & set(page.tags)
    assert not {key for key in page.attributes if key.startswith("on")}
    assert "@import" not in text


def test_links_lead_into_the_page_beside_it_where_there_is_one():
    one = run(steps=3)
    filtered = sum(record["outcome"] == "filtered" for record in one.records)
    assert filtered
    own = [target for target in Page(text_of(one)).targets if not target.startswith("#")]
    assert own == []
    page = Page(text := text_of(replace(one, view="view.html")))
    links = [target for target in page.targets if not target.startswith("#")]
    for time in range(3):
        for name in SIX:
            assert f"view.html#step={time}&who={name}&tab=why" in links
            assert f'aria-label="Why? {name}, time step {time}"' in text
    # One a figure, one a goal, one for each act that was filtered, and two at the beginning.
    assert len(links) == 3 * len(SIX) + 6 + len(SIX) + filtered + 2
    assert "view.html#step=2&tab=society" in links


def test_the_name_of_a_resident_does_not_break_out_of_its_link():
    one = run(steps=1)
    records = [{**record, "resident": f'{record["resident"]}&tab=find "x'} for record in one.records]
    page = Page(text_of(replace(one, records=records, view="view.html")))
    assert "view.html#step=0&who=LL%26tab%3Dfind%20%22x&tab=why" in page.targets


def test_the_same_records_give_the_same_page():
    assert text_of(run()) == text_of(run())


def test_text_of_a_model_is_escaped_wherever_it_is_shown():
    evil = '<script>alert(1)</script><img src=x onerror="alert(1)">{{ 7 * 7 }}'
    one = run()
    for record in one.records:
        record["thought"] = record["goal"] = record["result"] = record["observation"] = evil
        record["failure"] = evil
        record["action"] = f"chat with LL: {evil}"
        record["messages"] = [{"time": 0, "sender": evil, "addressee": evil, "text": evil}]
        record["admissible"] = [evil]
        record["relevance"], record["protention"] = {evil: 3.0}, {evil: evil}
        record["explanation"] = {evil: 0.1}
        record["memories"] = [evil]
    one.records[0]["outcome"] = "filtered"
    one.records[1]["outcome"] = "failed"
    for metric in one.metrics:
        metric["subject"] = metric["subject"].replace("Public Canteen", evil)
    usage = [{**row, "module": evil} for row in one.usage]
    habitus = dict.fromkeys(SIX, f"</pre>{evil}")
    text = text_of(
        ReportData(
            manifest={"model": evil, evil: f"</pre>{evil}", "started": evil},
            records=[{**record, "place": evil} for record in one.records],
            metrics=one.metrics,
            usage=usage,
            habitus=habitus,
        )
    )
    page = Page(text)
    assert not {"script", "img"} & set(page.tags)
    assert "onerror" not in page.attributes
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "{{ 7 * 7 }}" in text


def test_text_of_a_model_that_would_act_on_the_page_is_shown_instead():
    acting = "a \ud800 b, \x1b[31m red, \u202eturned\u202c\u2066,\nthe next line"
    one = run(steps=2)
    for record in one.records:
        record["thought"] = record["goal"] = record["failure"] = record["action"] = acting
        record["messages"] = [{"time": 0, "sender": acting, "addressee": acting, "text": acting}]
        record["plan"] = [acting, acting]
    habitus = dict.fromkeys(SIX, acting)
    text = text_of(replace(one, manifest={"model": acting, acting: acting}, habitus=habitus))
    assert "a ? b, ?[31m red, ?turned??,\nthe next line".replace("?", "\ufffd") in text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)


def test_names_of_residents_are_escaped_too():
    one = run(steps=2)
    evil = '"><script>alert(1)</script>'
    records = [{**record, "resident": record["resident"] + evil} for record in one.records]
    page = Page(text_of(ReportData(manifest={}, records=records, metrics=[])))
    assert "script" not in page.tags
    assert len(page.ids) == len(set(page.ids))


def test_a_story_has_what_appendix_a_has():
    one = run(steps=1)
    first = one.records[0]
    first.update(outcome="filtered", action="take toy 1 from table 6", driver=2.1855582, thought="a plain thought")
    one.records[1].update(outcome="failed", action=None, failure="no answer within 60 s")
    one.records[2].update(outcome="inadmissible", action="use moon")
    text = text_of(one)
    assert f'{FILTERED}</span> <span class="action">take toy 1 from table 6' in text
    assert "No action: no answer within 60 s" in text
    assert '(Not admissible)</span> <span class="action">use moon' in text
    for words in ("2.1856", "a plain thought", "Observation", "pleasure", "Took"):
        assert words in text


def test_numbers_of_the_headline():
    one = run(steps=1)
    for record in one.records:
        record.update(outcome="executed", action='chat with LL: "hi"')
    one.records[0]["outcome"] = "filtered"
    text = text_of(one)
    assert "<b>83%</b><span>of 6 actions carried out</span>" in text
    assert "<b>1</b><span>filtered by LTRHA</span>" in text
    assert "<b>4</b><span>times someone turned to another</span>" in text  # LL cannot turn to LL.
    assert "<b>2.17</b><span>model calls a resident and step</span>" in text


def test_usage_adds_up():
    one = run(steps=2)
    row = {
        "module": "action",
        "calls": 24,
        "prompt_tokens": 1200,
        "cached_tokens": 600,
        "generated_tokens": 240,
        "seconds": 6.0,
        "waiting": 2.0,
        "retries": 3,
        "failures": 1,
        "refusals": 0,
    }
    text = text_of(
        ReportData(manifest={}, records=one.records, metrics=one.metrics, usage=[row, {**row, "module": "goal"}])
    )
    assert "A call is one request of a module" in text[text.index(">48<") : text.index('id="stories"')]
    for words in (">48<", ">2,400<", ">1,200<", ">480<", ">12.0<", ">4.00<", ">200.0<", ">40.0<", ">1.00<"):
        assert words in text


def test_bare_run_without_ltrha_elimination_or_usage():
    records, metrics, _ = synthetic_run(steps=2, ltrha=False, elimination=False)
    text = text_of(ReportData(manifest={}, records=records, metrics=metrics))
    page = Page(text)
    assert page.tags.count("svg") == 4 + 3
    assert "Model calls" not in text
    assert 'id="filtered"' not in text
    assert {target.removeprefix("#") for target in page.targets} <= set(page.ids)


def test_limit_shortens_the_stories_only():
    text = text_of(run(steps=6), limit=2)
    assert Page(text).tags.count("article") == 2 * len(SIX)
    assert "The first 2 of 6 time steps are told here" in text
    assert "of 36 actions carried out" in text


def test_a_mapping_will_do_and_errors_say_what_is_wrong(tmp_path):
    records, metrics, _ = synthetic_run(steps=1)
    path = write_page({"manifest": {}, "records": records, "metrics": metrics}, tmp_path / "r.html")
    assert path.stat().st_size > 10_000
    with pytest.raises(ValueError, match="at least one record, got none"):
        write_page({"manifest": {}, "records": [], "metrics": []}, path)
    with pytest.raises(ValueError, match="limit must be at least 1 time step, got 0"):
        render_report(run(steps=1), limit=0)
    del records[2]["thought"]
    with pytest.raises(ValueError, match="record of MD at time step 0 lacks 'thought'"):
        write_page({"manifest": {}, "records": records, "metrics": metrics}, path)


def test_facts_are_found_in_the_effective_configuration():
    one = run(steps=1)
    effective = {"architecture": "driver", "seed": 0, "mind": {"ablate": ["retention"]}}
    text = text_of(
        ReportData(
            manifest={"configuration": {"effective": effective}},
            records=one.records,
            metrics=[],
        )
    )
    assert "<dt>Architecture</dt><dd>driver</dd>" in text
    assert "<dt>Decisions lack</dt><dd>retention</dd>" in text
    assert "<dt>Seed</dt><dd>0</dd>" in text


def test_the_adapter_of_a_model_is_told_beside_it():
    files = {"weights.gguf": "0" * 64, "adapter/<b>x.gguf": "ab" * 32}
    models = {
        "model": {"name": "scripted", "sha256": {}},
        "action model": {"name": "smollm2", "sha256": files},
        "embedder": {"name": "hash", "sha256": {}},
    }
    one = run(steps=1)
    text = text_of(replace(one, manifest={**one.manifest, "models": models}))
    assert "<dt>Model</dt><dd>scripted</dd>" in text
    assert "<dt>Action model</dt><dd>smollm2 with the adapter &lt;b&gt;x.gguf (abababababab)</dd>" in text
    assert "<b>x" not in text


@pytest.mark.parametrize(
    ("serving", "told"),
    [("exact", "exactly, each request by itself"), ("fast", "fast, many requests at once")],
)
def test_how_model_files_were_asked_is_told_where_there_were_any(serving, told):
    one = run(steps=1)
    effective = {"model": {"serving": serving}}
    models = {"model": {"name": "smollm2", "sha256": {"a.gguf": "0" * 64}}, "embedder": {"name": "hash", "sha256": {}}}
    manifest = {**one.manifest, "configuration": {"effective": effective}, "models": models}
    assert f"<dt>Model files asked</dt><dd>{told}" in text_of(replace(one, manifest=manifest))
    models["model"]["sha256"] = {}
    assert "Model files asked" not in text_of(replace(one, manifest=manifest))


def test_the_society_has_a_section_with_its_network_and_p_values():
    one = run(steps=8)
    section = society_section(one.records, HashEmbedder())
    page = Page(text := text_of(replace(one, society=section)))
    assert page.tags.count("svg") == 7 + 5
    assert "society" in page.ids
    assert len(page.ids) == len(set(page.ids))
    for words in (
        "Is there a clique around the leader?",
        "division_of_labour",
        "thought_action",
        "What the null models keep",
    ):
        assert words in text
    assert text == text_of(replace(one, society=society_section(one.records, HashEmbedder())))
    assert "thought_action are left out" not in text
    without = text_of(replace(one, society=society_section(one.records, None)))
    absent = ", ".join(one.name for one in MEASURES.values() if one.embedder)
    assert f"{absent} are left out" in without
    assert "Talk and promises" in text


def test_names_are_escaped_in_the_section_about_the_society():
    evil = '"><script>alert(1)</script>'
    records = [
        {
            **record,
            "resident": record["resident"] + evil,
            "action": (record["action"] or "").replace(":", evil + ":", 1) or None,
        }
        for record in run(steps=8).records
    ]
    page = Page(text_of(ReportData(manifest={}, records=records, metrics=[], society=society_section(records, None))))
    assert "script" not in page.tags


def test_a_last_step_that_is_not_whole_is_left_out_of_the_society():
    records = run(steps=3).records[:-2]
    section = society_section(records, None)
    assert "Time step 2, which is not whole, is left out." in section.notes
    assert society_section(records[:2], None) is not None
    assert section.measures.query("measure == 'places' and level == 'society'")["value"].notna().all()


def rates_shown(run):
    text = render_report(replace(run, society=None))
    return [float(shown) for shown in re.findall(r"<i>rate</i>([0-9.]+)<", text)]


def test_the_rate_of_each_step_is_the_one_that_was_decided_under():
    # Resources of 1 each: by Eq. 18 as printed, and by shares of a sixth.
    assert set(rates_shown(run(steps=1))) == {0.87}
    by_share = replace(run(steps=1), manifest={**manifest(1), "rate": "share"})
    assert set(rates_shown(by_share)) == {0.77}
    left = [{"time": 0, "subject": name, "quantity": "rate", "value": 0.123} for name in SIX]
    later = replace(run(steps=2), metrics=[*run(steps=2).metrics, *left])
    assert rates_shown(later)[:2] == [0.87, 0.12]
