"""Redirects: followed within one server, and never to another one, which would get the prompts."""

from contextlib import closing

import pytest
from asking import choose, generate, use
from stand_in import chat, serving

from language_models.embedders.openai_embedder import OpenAIEmbedder
from language_models.protocol import ModelUnavailable
from language_models.remote.http_request import _redirected

HELLO = chat("Hello.")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_server_is_not_followed(server, status):
    with serving() as other:
        other.answers = [HELLO]
        server.answers = [(status, {"Location": f"{other.url}/chat/completions"}, {})]
        for ask in (generate, choose):
            with pytest.raises(ModelUnavailable, match=f"redirect to '{other.url}.*another server, which is not asked"):
                use(server, ask)
        with closing(OpenAIEmbedder(server.url)) as embedder, pytest.raises(ModelUnavailable, match="another server"):
            embedder.embed(["a"])
        assert other.requests == []


@pytest.mark.parametrize("status", [301, 307, 308])
def test_a_redirect_within_a_server_is_followed_with_prompt_and_key(server, status):
    server.answers = [(status, {"Location": "/elsewhere/v1/chat?x=1"}, {}), HELLO]
    assert use(server, generate, api_key="k" * 9).text == "Hello."
    first, second = server.requests
    assert second[0] == "/elsewhere/v1/chat?x=1"
    assert (second[1]["Authorization"], second[2]) == (first[1]["Authorization"], first[2])


@pytest.mark.parametrize(
    ("target", "new"),
    [
        ("https://a.example/v2", "https://a.example/v2"),
        ("http://A.example:80/v2", "http://A.example:80/v2"),
        ("http://a.example:8000/v1", None),
        ("https://a.example:8443/v1", None),
        ("http://a.example.evil/v1", None),
        ("http://a.example@evil/v1", None),
        ("//evil/v1", None),
        ("file:///etc/passwd", None),
        ("http://[", None),
    ],
)
def test_which_redirects_stay_with_a_server(target, new):
    if new is None:
        with pytest.raises(ModelUnavailable, match="another server"):
            _redirected("http://a.example/v1", target)
    else:
        assert _redirected("http://a.example/v1", target) == new
