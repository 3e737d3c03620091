"""Rules that people give during a session: single statements of the policy language, put together to a policy of tier `session`."""

from __future__ import annotations

from collections.abc import Iterable

NAME = "session"
MAX_RULE = 4096


class RuleError(ValueError):
    """Not one rule. The message says why, in one line."""


def effect_of(statement: str) -> str:
    """The effect of the one rule that the text is. Raises RuleError for any other text."""
    from remit_dsl.parser import parse  # not for processes that only decide: a hook starts for every call
    from remit_dsl.source import Source
    from remit_dsl.tree import Rule

    if len(statement) > MAX_RULE:
        raise RuleError(f"a rule has at most {MAX_RULE} characters")
    file, found = parse(Source(NAME, statement.strip() + "\n"))
    if file is None:
        raise RuleError(f"`{statement}` is no rule: {found[0].message}")
    if len(file.statements) != 1 or not isinstance(file.statements[0], Rule):
        raise RuleError(f"`{statement}` is not one rule such as `allow Bash(npm run *)`")
    return file.statements[0].effect


def policy_text(rules: Iterable[str]) -> str:
    """The policy that holds these rules, "" for none."""
    lines = list(rules)
    return "\n".join([f"policy {NAME} for session", *lines, ""]) if lines else ""
