"""How a model that leads minds is asked: in JSON wherever a schema or a grammar holds it."""

from __future__ import annotations

import pytest
from configs import run_config

from evaluation.runs.build_society import answer_form, find_backends

ADDRESS = "openai:http://127.0.0.1:8000/v1#qwen"


@pytest.mark.parametrize(
    ("model", "options", "form"),
    [
        (ADDRESS, {}, "json"),
        (ADDRESS, {"choosing": "structured"}, "json"),
        (ADDRESS, {"choosing": "logprobs"}, "plain"),
        (ADDRESS, {"choosing": "plain"}, "plain"),
        (ADDRESS, {"choosing": "logprobs", "grammar_field": "grammar"}, "json"),
        (ADDRESS, {"choosing": "plain", "grammar_field": "grammar"}, "json"),
        ("transformers:folder", {}, "plain"),
        ("smollm2-plain", {}, "json"),
    ],
)
def test_how_a_model_that_leads_is_asked(model, options, form):
    chosen = {model: options} if options else {}
    assert answer_form(run_config(model=model, options=chosen, deliberation="llm")) == form


@pytest.mark.parametrize(("model", "options"), [("smollm2", {}), ("smollm2-plain", {"adapter": "a.gguf"})])
def test_a_model_that_was_trained_to_write_does_not_lead(model, options):
    configuration = run_config(model=model, options={model: options} if options else {}, deliberation="llm")
    for refuses in (answer_form, find_backends):
        with pytest.raises(ValueError, match=rf"'{model}' was trained to write .* --deliberation similarity"):
            refuses(configuration)
