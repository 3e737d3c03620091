"""Texts and values without the secrets in them. The cheap half: whether there could be any. What a secret looks like stands in `shapes`,
which compiles regular expressions and is imported for texts that need it only."""

from __future__ import annotations

from collections.abc import Mapping

from remit.effects.audit.names import is_secret_name, option_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from remit_dsl.program import Program

MASK = "[masked]"
REDACT = "redact"  # the name of the data in which policies list texts that no log may hold
MAX_DEPTH = 16
MAX_ITEMS = 256
# The shortest run of letters, digits, `_` and `-` that can be a secret by its look alone.
SHORTEST_RUN = 20
BEGINNING = 512  # as much of a secret as may be needed to recognise it
_HINTS = ("pass", "pwd", "secret", "token", "key", "auth", "cred", "cookie", "bearer", "basic", "sig", "private", "login", "mysql",
          "mariadb", "redis", "pin", "otp", "session", "jwt", "dsn", "salt", "hmac", "conn")  # fmt: skip
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_SPLIT = {code: " " for code in range(128) if chr(code) not in _WORD}


# Short texts that hold none: most texts of a record come again with the next one.
_SAFE: set[str] = set()
_MAX_SAFE, _MAX_SAFE_CHARS = 4096, 200


def may_hold_secret(text: str) -> bool:
    """Whether `shapes` has to look at the text."""
    lowered = text.lower()
    for hint in _HINTS:
        if hint in lowered:
            return True
    if "@" in text or (":" in text and (" -u" in text or "--user" in text)):
        return True
    if len(text) < SHORTEST_RUN:
        return False
    return max([len(run) for run in text.translate(_SPLIT).split()], default=0) >= SHORTEST_RUN


def masked(text: str, hidden: Iterable[str] = ()) -> str:
    """`text` with MASK in place of every secret: by its shape, by the name that it is given to, and wherever a hidden text stands."""
    for word in hidden:
        if word:
            text = text.replace(word, MASK)
    if text in _SAFE:
        return text
    if not may_hold_secret(text):
        _remember(text)
        return text
    from remit.effects.audit.shapes import without_secrets

    return without_secrets(text)


def hidden_by(program: Program) -> tuple[str, ...]:
    """The texts that policies name as secrets: those of every `data redact from "file.json"`, a list or an object with `texts`. Longest
    first, so that no part of one stays."""
    found: set[str] = set()
    for key, value in program.tables["data"].items():
        if key.rpartition(":")[2] == REDACT:
            texts = value.get("texts") if isinstance(value, dict) else value
            found.update([text for text in texts if isinstance(text, str) and text] if isinstance(texts, list) else [])
    return tuple(sorted(found, key=lambda text: (-len(text), text)))


def _remember(text: str) -> None:
    if len(text) <= _MAX_SAFE_CHARS:
        if len(_SAFE) >= _MAX_SAFE:
            _SAFE.clear()
        _SAFE.add(text)


class Masker:
    """Masks values within a budget of characters. whole: nothing was masked or cut."""

    def __init__(self, budget: int, hidden: Sequence[str] = (), *, open_calls: bool = False) -> None:
        self._left = budget
        self._hidden = tuple(hidden)
        self._open = open_calls
        self.whole = True

    def text(self, text: str, limit: int) -> str:
        """A text without its secrets, cut to `limit` characters and what is left of the budget."""
        limit = max(0, min(limit, self._left))
        shown = text if self._open else self._masked(text, 8 * limit)
        shown = shown if len(shown) <= limit else shown[:limit] + "…"
        self._left -= len(shown)
        self.whole = self.whole and shown == text
        return shown

    def _masked(self, text: str, limit: int) -> str:
        """The beginning of a text without secrets."""
        if len(text) <= limit + BEGINNING:
            return masked(text, self._hidden)
        # INVARIANT: masked before it is cut, else the beginning of a secret would no longer look like one. What may be one goes.
        return masked(text[: limit + BEGINNING], self._hidden)[:-BEGINNING] + "…"

    def value(self, value: Any, limit: int, depth: int = 0) -> Any:
        """A JSON value likewise: what stands under the name of a secret is masked as a whole."""
        if isinstance(value, str):
            return self.text(value, limit)
        if value is None or isinstance(value, (bool, float)):
            self._left -= 5
            return value
        if isinstance(value, int):
            return self._number(value)
        if depth >= MAX_DEPTH or self._left <= 0:
            return self._gone()
        if isinstance(value, Mapping):
            return self._mapping(value, limit, depth)
        if isinstance(value, (list, tuple)):
            return self._list(value, limit, depth)
        return self._gone()

    def _number(self, value: int) -> Any:
        # CPython refuses to print numbers of more than 4,300 digits.
        if value.bit_length() > 256:
            return self._gone()
        self._left -= 20
        return value

    def _mapping(self, value: Mapping[Any, Any], limit: int, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, item in list(value.items())[:MAX_ITEMS]:
            shown = self.text(str(name), 200)
            hide = not self._open and is_secret_name(str(name)) and item not in ("", None, False, True)
            found[shown] = self._hide() if hide else self.value(item, limit, depth + 1)
        self.whole = self.whole and len(value) <= MAX_ITEMS
        return found

    def _list(self, value: Sequence[Any], limit: int, depth: int) -> list[Any]:
        found: list[Any] = []
        before: Any = ""
        for item in value[:MAX_ITEMS]:
            named = not self._open and isinstance(before, str) and is_secret_name(option_name(before))
            found.append(self._hide() if named and isinstance(item, str) else self.value(item, limit, depth + 1))
            before = item
        self.whole = self.whole and len(value) <= MAX_ITEMS
        return found

    def _hide(self) -> str:
        self.whole = False
        self._left -= len(MASK)
        return MASK

    def _gone(self) -> str:
        self.whole = False
        return "…"
