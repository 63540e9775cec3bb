"""HTTP server of the valley with a JSON API: ``app.create_app`` makes the application, ``serving`` runs it.

``docs/server.md`` shows it by example. Importing ``irollan_env`` imports none of it.
"""

from importlib.util import find_spec

if find_spec("fastapi") is None:
    raise ModuleNotFoundError(
        "the server needs the package fastapi, which is not installed; install it with: "
        "python -m pip install 'irollan-valley[server]'",
        name="fastapi",
    )
