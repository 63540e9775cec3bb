"""Tests that the first drawing of the page does not wait for details."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from viewed import LIFE, copy_of_life

from evaluation.viewer.html_page import page_data, page_of
from evaluation.viewer.run_view import RunView
from language_models.transcript.transcript import Transcript

LATER = '<script type="application/json" id="details">'


@pytest.fixture
def halves(tmp_path):
    """Serve a page, most of whose details are sent after an event; yield its address and the event."""
    first, second = (
        page_of([page_data(RunView(copy_of_life(tmp_path / "life", steps=4)))]).encode().split(LATER.encode())
    )
    rest = threading.Event()

    class Slow(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            if self.path == "/":
                self.wfile.write(first + LATER.encode() + second[:1000])
                self.wfile.flush()
                rest.wait(60)
                self.wfile.write(second[1000:])

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/", rest
    rest.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def fresh(open_tab):
    """Browser page that fails the test on script errors."""
    said = []
    page = open_tab(said)
    yield page
    page.context.close()
    assert [one for one in said if "ERR_" not in one and "404" not in one] == []


def test_the_valley_is_drawn_before_what_is_looked_up_is_there(fresh, halves):
    page, (address, rest) = fresh, halves
    page.goto(f"{address}#step=2", wait_until="commit")
    page.locator(".person[data-name=LL]").wait_for()
    page.get_by_text("Step 2 of 3").wait_for()
    page.get_by_role("tab", name="Resident").click()
    page.get_by_text("The page is still being read.").wait_for()
    assert page.evaluate("document.readyState") == "loading"
    rest.set()
    page.get_by_text("Feelings so far").wait_for()
    assert page.evaluate("location.hash").startswith("#step=2&")


def test_a_link_to_a_call_finds_it_once_it_is_there(fresh, halves):
    page, (address, rest) = fresh, halves
    with Transcript(LIFE / "transcript.sqlite") as transcript:
        call = next(one for one in transcript.calls(resident="WM", module="action", time=3))
    page.goto(f"{address}#call={call.usage.call}", wait_until="commit")
    page.get_by_text("The page is still being read.").wait_for()
    rest.set()
    page.get_by_role("heading", name=f"Why {call.caller.resident}").wait_for()
    assert page.evaluate("location.hash") == f"#step=3&who=WM&tab=why&call={call.usage.call}"
    page.locator(f"#call-{call.usage.call}[open]").wait_for()
