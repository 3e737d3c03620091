"""The six updates of a session: rules, mode, directories. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from remit.sessions.rules import RuleError, effect_of
from remit.sessions.state import MAX_APPROVALS, MAX_DIRECTORIES, MAX_RULES, Approval, State
from remit_dsl.records import NamedTuple

KINDS = ("addRules", "replaceRules", "removeRules", "setMode", "addDirectories", "removeDirectories")


class Update(NamedTuple):
    """One change, as a person or a host orders it. rules: statements of the policy language; effect: of `replaceRules`, whose rules."""

    kind: str
    rules: tuple[str, ...] = ()
    effect: str = ""
    mode: str = ""
    directories: tuple[str, ...] = ()


class UpdateError(ValueError):
    """The update cannot be carried out. The message says why, in one line."""


def applied(state: State, update: Update) -> State:
    """The state after the update. Raises UpdateError, and then nothing of it has happened."""
    if update.kind == "setMode":
        return state._replace(mode=update.mode)
    if update.kind in ("addDirectories", "removeDirectories"):
        return _directories(state, update)
    if update.kind not in KINDS:
        raise UpdateError(f"there is no update `{update.kind}`; there are {', '.join(KINDS)}")
    rules = _checked(update.rules)
    if update.kind == "removeRules":
        absent = [rule for rule in rules if rule not in state.rules]
        if absent:
            raise UpdateError(f"the session has no rule `{absent[0]}`")
        return state._replace(rules=tuple([rule for rule in state.rules if rule not in rules]))
    kept = state.rules
    if update.kind == "replaceRules":
        if any(effect_of(rule) != update.effect for rule in rules):
            raise UpdateError(f"only rules of the effect `{update.effect}` can take the place of its rules")
        kept = tuple([rule for rule in state.rules if effect_of(rule) != update.effect])
    return state._replace(rules=_bounded(dict.fromkeys((*kept, *rules)), MAX_RULES, "rules"))


def _checked(rules: Sequence[str]) -> list[str]:
    try:
        for rule in rules:
            effect_of(rule)
    except RuleError as error:
        raise UpdateError(str(error)) from None
    return [rule.strip() for rule in rules]


def _directories(state: State, update: Update) -> State:
    if any(not folder.startswith("/") or "\0" in folder for folder in update.directories):
        raise UpdateError("directories are absolute paths")
    if update.kind == "addDirectories":
        found = dict.fromkeys((*state.directories, *update.directories))
        return state._replace(directories=_bounded(found, MAX_DIRECTORIES, "directories"))
    return state._replace(directories=tuple([one for one in state.directories if one not in update.directories]))


def _bounded(found: Sequence[str] | dict[str, None], limit: int, what: str) -> tuple[str, ...]:
    if len(found) > limit:
        raise UpdateError(f"a session has at most {limit} {what}")
    return tuple(found)


def approved(state: State, approval: Approval) -> State:
    """The state with one more approval; the oldest are dropped."""
    others = [known for known in state.approvals if known.call != approval.call]
    return state._replace(approvals=(*others, approval)[-MAX_APPROVALS:])
