"""A server on a free loopback port, on a thread of this process."""

from contextlib import contextmanager
from threading import Thread

from irollan_env.server.limits import Limits
from irollan_env.server.serving import address_of, listen, make_server


@contextmanager
def running(app, token=None, limits=Limits()):  # noqa: B008  (frozen)
    """Serve an app; gives its address."""
    listening = listen("127.0.0.1", 0, protected=token is not None)
    server = make_server(app, limits)
    thread = Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield address_of(listening)
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
