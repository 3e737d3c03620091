"""Exit codes of the command line."""

from __future__ import annotations

FINE = 0  # done; a call is allowed
FINDINGS = 1  # errors, lint findings, failed tests, files that are not formatted; a call is denied
FAILED = 2  # wrong usage, or it cannot be done: a missing file, a policy that does not load
ASKS = 3  # a call is to be asked about

OF_DECISION = {"allow": FINE, "deny": FINDINGS, "ask": ASKS}
