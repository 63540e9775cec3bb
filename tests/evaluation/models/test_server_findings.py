"""Runs that share the model of an address, one of which was begun when it chose in another way."""

import pytest

from evaluation.models import server_findings
from language_models.remote.openai_compatible import OpenAICompatible

NAME = "openai:http://127.0.0.1:9/v1#qwen"


@pytest.fixture
def models():
    return {NAME: OpenAICompatible("http://127.0.0.1:9/v1", "qwen", api_key="")}


def test_runs_that_chose_alike_go_on_together(models):
    for manifest in ({}, {"choosing": {NAME: "structured"}}, {}, {"choosing": {NAME: "structured"}}):
        server_findings.restore(models, manifest)
    assert server_findings.known(models) == {"choosing": {NAME: "structured"}}


def test_a_run_that_chose_otherwise_is_not_gone_on_with_in_the_way_of_the_others(models):
    server_findings.restore(models, {"choosing": {NAME: "logprobs"}})
    message = f"^{NAME}: it chooses by 'logprobs' for another run.*a run that chose by 'structured' would not"
    with pytest.raises(ValueError, match=message):
        server_findings.restore(models, {"choosing": {NAME: "structured"}})
    assert server_findings.known(models) == {"choosing": {NAME: "logprobs"}}


def test_a_way_that_was_configured_stays():
    models = {NAME: OpenAICompatible("http://127.0.0.1:9/v1", "qwen", api_key="", choosing="logprobs")}
    server_findings.restore(models, {"choosing": {NAME: "structured"}, "left_out": {NAME: {"seed": ""}}})
    assert server_findings.known(models) == {"choosing": {NAME: "logprobs"}, "left_out": {NAME: {"seed": ""}}}
    with pytest.raises(ValueError, match=r"must be one of seed, .* got 'messages'"):
        server_findings.restore(models, {"left_out": {NAME: {"messages": ""}}})
