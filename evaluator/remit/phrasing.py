"""Verdicts in a sentence: one bounded line that is safe to print, whatever the call or the policy holds."""

from __future__ import annotations

from remit.verdict import Reason, Verdict

MAX_LINE = 1000
MAX_DETAIL = 200

_SAID = {
    "guard": "a guard asks for confirmation",
    "mode": "the permission mode decides",
    "default": "a default of the policy",
    "unparseable": "the call could not be understood",
    "budget": "the call exceeds a limit",
    "error": "the call could not be judged",
}
# Characters that end a line, move the cursor or turn the direction of writing (Unicode: Cc, Zl, Zp, bidi controls, BOM).
_HIDDEN = frozenset([*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, 0x200E, 0x200F, *range(0x202A, 0x202F)])
_MORE_HIDDEN = frozenset([*range(0x2066, 0x206A), 0xFEFF])


def one_line(text: str, limit: int = MAX_LINE) -> str:
    """`text` on one line of at most `limit` characters; line breaks and blanks become one blank, hidden characters `\\u{HEX}`."""
    joined = " ".join(text[: 4 * limit].split())
    shown = joined if joined.isascii() and joined.isprintable() else "".join([_visible(char) for char in joined])
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def _visible(char: str) -> str:
    code = ord(char)
    hidden = code in _HIDDEN or code in _MORE_HIDDEN or 0xD800 <= code < 0xE000
    return f"\\u{{{code:X}}}" if hidden else char


def sentence(verdict: Verdict) -> str:
    """Why the verdict is what it is: the rule with its place, what was uncertain, and what the policy's author says of it."""
    return one_line(reason_sentence(verdict.reason))


def reason_sentence(reason: Reason) -> str:
    """A reason in words, not yet cut or cleaned."""
    parts = [_head(reason)]
    if reason.message:
        parts.append(reason.message)
    return ": ".join([part for part in parts if part]) or reason.code


def _head(reason: Reason) -> str:
    place = f" ({reason.at})" if reason.at else ""
    if reason.rule:
        named = f"rule {reason.rule}{place}"
        detail = one_line(reason.detail, MAX_DETAIL)
        return f"{named} may apply, depending on `{detail}`" if reason.code == "uncertain" else named
    if reason.code == "default" and place:
        return f"the policy's default{place}"
    return _SAID.get(reason.code, "") if not reason.message else ""
