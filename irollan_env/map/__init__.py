"""What a valley is: its areas, furniture, items and inhabitants, as data that is checked and compiled."""
