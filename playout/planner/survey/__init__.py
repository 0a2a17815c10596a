"""Surveys of worlds: what a decision with hidden information hangs on."""
