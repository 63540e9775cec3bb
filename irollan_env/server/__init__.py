"""The valley as JSON over HTTP: ``app.create_app`` makes the application, ``serving`` listens for it.

``docs/server.md`` shows it by example. Importing ``irollan_env`` imports none of it.
"""
