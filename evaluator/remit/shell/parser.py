"""The whole grammar: text to Script, for every text."""

from __future__ import annotations

import re

from remit.shell import constructs
from remit.shell.commands import Opaque, Script
from remit.shell.lists import script
from remit.shell.reader import Declined, Reader, Work

DIALECTS = frozenset(("bash", "sh", "zsh"))

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# Format characters and fillers that show as nothing or turn the text around; compiled when text beyond ASCII comes.
_INVISIBLE = (
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U000e0000-\U000e0fff]"
)


def parse(text: str, dialect: str) -> Script:
    """The commands of `text`. What is declined ends the reading: then `opaque` says what and where, up to the text's end."""
    if len(text) > constructs.MAX_LENGTH:
        return Script((), (Opaque(constructs.TOO_LONG, 0, len(text)),), ())
    control = _CONTROL.search(text)
    if control:
        return Script((), (Opaque(constructs.CONTROL_CHARACTER, control.start(), control.end()),), ())
    invisible = None if text.isascii() else re.search(_INVISIBLE, text)
    if invisible:
        return Script((), (Opaque(constructs.INVISIBLE_CHARACTER, invisible.start(), invisible.end()),), ())
    if dialect not in DIALECTS:
        return Script((), (Opaque(constructs.DIALECT, 0, len(text)),), ())
    work = Work(dialect)
    opaque: tuple[Opaque, ...] = ()
    try:
        script(Reader(text, work))
    except Declined as declined:
        opaque = (Opaque(declined.construct, min(declined.place, len(text)), len(text)),)
    if work.armed and work.evaluates and not opaque:
        opaque = (Opaque(constructs.EVALUATED_DATA, 0, len(text)),)
    commands = tuple(draft.finished() for draft in work.drafts if draft.end >= 0)
    return Script(commands, opaque, tuple(work.functions), tuple(work.sets), tuple(work.evaluated))
