"""Sessions: what the earlier calls of a run, and the people beside it, leave for its later calls."""
