"""What each action is expected to bring (sections 3.1 and 3.2.1, Eq. 7)."""
