"""Putting the hook into agents' settings, taking it out again, and looking whether it works."""
