"""The valley as data: areas, furniture, items and inhabitants, checked and compiled."""
