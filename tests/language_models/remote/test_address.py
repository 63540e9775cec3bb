import re

import pytest
from asking import generate, use
from stand_in import Server, chat

from language_models.embedders.openai_embedder import OpenAIEmbedder
from language_models.protocol import ModelUnavailable
from language_models.registry import describe_model, find_embedder, find_model
from language_models.remote.address import check_address, find_key
from language_models.remote.openai_compatible import OpenAICompatible

OPENAI = "https://api.openai.com/v1"


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of OpenAI")
    monkeypatch.setenv("IROLLAN_API_KEY", "of all others")


@pytest.mark.parametrize(
    ("url", "key"),
    [
        (OPENAI, ("OPENAI_API_KEY", "of OpenAI")),
        ("https://API.OpenAI.com:443/v1", ("OPENAI_API_KEY", "of OpenAI")),
        ("http://api.openai.com/v1", ("IROLLAN_API_KEY", "of all others")),
        ("https://api.openai.com.example.org/v1", ("IROLLAN_API_KEY", "of all others")),
        ("https://example.org/api.openai.com/v1", ("IROLLAN_API_KEY", "of all others")),
        ("http://127.0.0.1:8000/v1", ("IROLLAN_API_KEY", "of all others")),
    ],
)
def test_the_key_of_openai_is_for_openai_alone(url: str, key: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_key(url) == key
    assert find_key(url, given="") == ("IROLLAN_API_KEY", "")
    monkeypatch.delenv("IROLLAN_API_KEY")
    assert find_key(url).value == (key[1] if key[0] == "OPENAI_API_KEY" else "")
    monkeypatch.delenv("OPENAI_API_KEY")
    assert find_key(url) == ("IROLLAN_API_KEY", "")


def test_a_variable_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_API_KEY", "other")
    assert find_key(OPENAI, "OTHER_API_KEY") == ("OTHER_API_KEY", "other")


@pytest.mark.parametrize("kind", [OpenAICompatible, OpenAIEmbedder])
def test_a_variable_that_is_not_set(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    for value in (None, ""):
        monkeypatch.delenv("OTHER_API_KEY", raising=False)
        if value is not None:
            monkeypatch.setenv("OTHER_API_KEY", value)
        with pytest.raises(
            ValueError, match=r"variable OTHER_API_KEY, which key_variable names for http://host/v1, is"
        ):
            kind("http://host/v1", key_variable="OTHER_API_KEY")
    with pytest.raises(ValueError, match="must be the name of an environment variable") as error:
        kind("http://host/v1", key_variable="sk-secret")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "IROLLAN_API_KEY", "OTHER_API_KEY"])
def test_a_key_is_taken_without_what_is_around_it(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv(variable, " \tabc\r\n")
    assert find_key(OPENAI, "OTHER_API_KEY" if variable == "OTHER_API_KEY" else None) == (variable, "abc")


def test_a_key_with_a_line_end_is_sent_without_it(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IROLLAN_API_KEY", "abc\n")
    server.answers = [chat("Hello.")]
    use(server, generate, api_key=None)
    use(server, generate, api_key="def\n")
    assert [headers["Authorization"] for _, headers, _ in server.requests] == ["Bearer abc", "Bearer def"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("  \n", "holds nothing but blanks; put the key there, or leave it empty for none"),
        ("sk-secret\nsk-other", "cannot hold a key: character 10 of 18 is none that is printed, or beyond ASCII"),
        ("sk-sec\x7fret", "character 7 of 10"),
        ("\u201csk-secret\u201d", "character 1 of 11"),
    ],
)
@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "IROLLAN_API_KEY", "OTHER_API_KEY"])
def test_what_cannot_be_a_key_is_told_without_it(
    variable: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = OPENAI if variable == "OPENAI_API_KEY" else "http://host/v1"
    monkeypatch.setenv(variable, value)
    named = {"key_variable": variable} if variable == "OTHER_API_KEY" else {}
    for kind in (OpenAICompatible, OpenAIEmbedder):
        with pytest.raises(ValueError, match=f"^the environment variable {variable} .*{re.escape(message)}") as error:
            kind(url, **named)
        assert "sec" not in str(error.value)
    with pytest.raises(ValueError, match=re.escape(message)):
        find_key(url, given=value)
    # Whoever replays a run needs none.
    assert describe_model(f"openai:{url}#small").recorded_name == f"openai:{url}#small"


LONG = "a" * 64


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://a..b/v1", "between the dots of a host must have 1 to 63 characters"),
        (f"http://{LONG}.example/v1", "between the dots of a host must have 1 to 63 characters"),
        ("http://.example/v1", "between the dots of a host"),
        ("http://host:99999/v1", "got 'http://host:99999/v1': Port out of range 0-65535"),
        ("http://host:0/v1", "with a port from 1 to 65535, got 'http://host:0/v1'"),
        ("http://host:http/v1", "got 'http://host:http/v1': Port could not be cast to integer"),
        ("http://[::1/v1", "got 'http://[::1/v1': Invalid IPv6 URL"),
        ("http://me:secret@host:99999/v1", "must hold no password; put the key into IROLLAN_API_KEY"),
        ("http://ho st/v1", "without blanks and ends of lines, got 'http://ho st/v1'"),
        ("http://host/v1\n", "without blanks and ends of lines, got 'http://host/v1\\n'"),
        ("http://ho\x00st/v1", "without blanks and ends of lines"),
    ],
)
def test_what_is_no_address_is_told_before_anything_is_sent(url: str, message: str) -> None:
    for resolve in (find_model, find_embedder):
        with pytest.raises(ValueError, match=f"^the address .*{re.escape(message)}") as error:
            resolve(f"openai:{url}#small")
        assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000/v1",
        "http://[::1]:8000/v1",
        "https://host./v1",
        "http://my_host:1/v1",
        "http://bücher.example",
    ],
)
def test_addresses(url: str) -> None:
    check_address(url)


def test_an_address_that_turns_out_to_be_none_is_not_asked_again() -> None:
    for url in ("http://\u2024a/v1", "http://a\\b/v1"):
        with pytest.raises(ModelUnavailable, match=r"is no address that can be asked: .*; correct it") as error:
            use(Server(url=url), generate, backoff=30)
        assert error.value.usage.retries == 0
