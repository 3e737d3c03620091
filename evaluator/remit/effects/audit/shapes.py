"""What secrets look like in a text. Every expression is linear: quantifiers are possessive or bounded.

The prefixes are those that their issuers document (GitHub, GitLab, Slack, AWS, Google, Stripe, npm, PyPI, Hugging Face, DigitalOcean,
Shopify, SendGrid, HashiCorp Vault, Tailscale, Docker Hub, age, Anthropic, OpenAI, Linear, Databricks, Atlassian, Twilio).
"""

from __future__ import annotations

import re
from itertools import pairwise

from remit.effects.audit.masking import MASK
from remit.effects.audit.names import is_secret_name

_KEY_BEGIN, _KEY_END = "-----BEGIN ", "-----END "
_PREFIXED = re.compile(
    r"(?<![A-Za-z0-9])(?:gh[oprsu]_|github_pat_|gl(?:pat|dt|rt|cbt|ptt|soat)-|sk-|[srp]k_(?:live|test)_|whsec_|xox[a-z]-|xapp-|npm_|pypi-|hf_|"
    r"do[opr]_v1_|shp(?:at|ca|pa|ss)_|SG\.|hv[sbr]\.|s\.(?=[A-Za-z0-9]{24})|tskey-|dckr_pat_|AGE-SECRET-KEY-|lin_api_|dapi|ATATT|ATBB|AIza|ya29\.|"
    r"1//0|EAAC|AC(?=[0-9a-f]{32})|SK(?=[0-9a-f]{32})|glsa_|phc_|rubygems_|sbp_|sq0[a-z]{3}-|PMAK-|NRAK-|figd_|secret_)[A-Za-z0-9_\-./+=]{12,}+"
)
_AWS = re.compile(r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z2-7]{16}(?![A-Za-z0-9])")
_JWT = re.compile(r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_\-]{6,}+(?:\.[A-Za-z0-9_\-=]*+){0,4}")
_IN_URL = re.compile(r"(?<=://)(?:[^\s/?#'\"@]*+@)++")
_RUN = re.compile(r"[A-Za-z0-9_\-+]{32,}+")
_WEBHOOK = re.compile(
    r"(?:hooks\.slack\.com|discord(?:app)?\.com/api/webhooks|webhook\.office\.com)/(?:services/|workflows/)?([A-Za-z0-9/_\-@]++)"
)
_SCHEME = re.compile(r"(?i)(?<![A-Za-z0-9])(?:bearer|basic|token)[ \t]++([A-Za-z0-9_\-./+=~:]{8,}+)")
_NAME = re.compile(r"(?:(?<=[\s'\"=])-{1,2}|(?<![A-Za-z0-9_]))[A-Za-z_][A-Za-z0-9_.\-]*+")
_GIVEN = re.compile(r"\\{0,4}+['\"]?+\]?+[ \t]{0,16}+(?:=>|:=|==|=|:|%3[dD])\s{0,16}+")
_NEXT_WORD = re.compile(r"[ \t]++(?![-;&|<>])")
_QUOTED = re.compile(r"\\{0,4}+\"(?:[^\"\\]|\\(?!\")[\s\S]|\\\"(?=[^\s,;}\]\"']))*+\\{0,4}+\"?+|\\{0,4}+'[^']*+'?+")
_PLAIN = re.compile(r"(?:[^\s;&|<>(){}\[\],'\"\\]|\\[^\s'\"\\])++|\\")
_BREAK = re.compile(r"\\{0,4}+['\"](?=[\s;&|<>()\]},\\'\"]|$)")
_LINE = re.compile(r"[^'\"\r\n]*+")
_VARIABLE = re.compile(r"\\{0,4}+\"?+\$(?:[A-Za-z_][A-Za-z0-9_]*+|\{[A-Za-z_][A-Za-z0-9_]*+\})\\{0,4}+\"?+")
_USER = re.compile(r"(?<![^\s'\"])(?:-u|--user|--proxy-user|-U)(?:[ \t]++|=|(?<=-u))(['\"]?+[^\s'\":]*+:)([^\s]++)")
_ASKED = re.compile(
    r"(?<![A-Za-z0-9_.\-])(?:sshpass|mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|redis-cli|login)(?![A-Za-z0-9_.])"
)
_PASSED = re.compile(r"(?<=\s)(?:-[pa])(?:[ \t]++)?+((?:\"[^\"]*+\"?+|'[^']*+'?+|[^\s;&|<>'\"])++)")
_END = re.compile(r"[;&|\n]")
_WHOLE_LINE = frozenset(("authorization", "proxy-authorization", "cookie", "set-cookie", "x-amz-security-token"))
_CHANGES_OF_RANDOM = (
    0.38  # of 64 even letters, two that follow each other are of different kinds in three of five cases
)


def without_secrets(text: str) -> str:
    """`text` with MASK in place of what looks like a secret. Takes time proportional to its length."""
    spans = [*_keys(text), *_named(text), *_logins(text)]
    for expression in (_PREFIXED, _AWS, _JWT):
        spans += [found.span() for found in expression.finditer(text)]
    spans += [_userinfo(text, found) for found in _IN_URL.finditer(text)]
    spans += [found.span(1) for found in _SCHEME.finditer(text) if _coded(found[1])]
    spans += [found.span(1) for found in _WEBHOOK.finditer(text)]
    spans += [found.span(2) for found in _USER.finditer(text)]
    spans += [found.span() for found in _RUN.finditer(text) if is_random(found[0])]
    return _replaced(text, sorted(spans))


def is_random(run: str) -> bool:
    """Whether a run of letters and digits looks drawn by chance: all three kinds, that change more often than words do."""
    kinds = ["d" if char.isdigit() else "u" if char.isupper() else "l" if char.islower() else "" for char in run]
    if not {"d", "u", "l"} <= set(kinds):
        return False
    changes = sum([before != after for before, after in pairwise(kinds)])
    return changes >= _CHANGES_OF_RANDOM * len(run)


def _replaced(text: str, spans: list[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in spans:
        if end <= at or start == end:
            continue
        if start >= at:
            parts += [text[at:start], MASK]
        at = end
    return "".join([*parts, text[at:]])


def _keys(text: str) -> list[tuple[int, int]]:
    """Blocks of private keys (RFC 7468), to the end of the text where they are not closed."""
    spans, at = [], text.find(_KEY_BEGIN)
    while at >= 0:
        head = text.find("-----", at + len(_KEY_BEGIN))
        if head < 0:
            break
        end = head
        if "PRIVATE KEY" in text[at:head]:
            close = text.find(_KEY_END, head)
            close_end = text.find("-----", close + len(_KEY_END)) if close >= 0 else -1
            end = close_end + 5 if close_end >= 0 else len(text)
            spans.append((at, end))
        at = text.find(_KEY_BEGIN, end)
    return spans


def _named(text: str) -> list[tuple[int, int]]:
    """Values that are given to the name of a secret, as an assignment, a header, a member of an object or an option."""
    spans: list[tuple[int, int]] = []
    behind = 0
    quotes = _Quotes(text)
    for name in _NAME.finditer(text):
        if name.start() < behind or not is_secret_name(name[0].lstrip("-")):
            continue
        given = _GIVEN.match(text, name.end()) or _told(text, name)
        if given is None:
            continue
        start = given.end()
        line = _LINE.match(text, start) if name[0].lower() in _WHOLE_LINE else None
        end = line.end() if line else _value_end(text, start, quotes.open_at(name.start()))
        if end > start and not _VARIABLE.fullmatch(text, start, end):
            spans.append((start, end))
            behind = end
    return spans


def _told(text: str, name: re.Match[str]) -> re.Match[str] | None:
    """The blank before a value that is the next word: of an option, or of a name that is to be set."""
    before = text[max(0, name.start() - 8) : name.start()].split()
    if name[0].startswith("-") or before[-1:] in (["set"], ["config"], ["add"]):
        return _NEXT_WORD.match(text, name.end())
    return None


class _Quotes:
    """Which quotes are open, by their number so far. Asked from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._open = {"'": False, '"': False}

    def open_at(self, at: int) -> frozenset[str]:
        """The quotes of which an odd number stands before `at`."""
        for quote in self._open:
            self._open[quote] ^= self._text.count(quote, self._at, at) % 2 == 1
        self._at = at
        return frozenset([quote for quote, is_open in self._open.items() if is_open])


def _value_end(text: str, start: int, opened: frozenset[str]) -> int:
    """The end of a value: a shell word, or a string in quotes; a quote that was open before it and is followed by an end closes it."""
    at = start
    while at < len(text):
        closing = _BREAK.match(text, at)
        if closing and closing[0][-1] in opened and (at > start or closing[0][-1:] == closing[0]):
            break
        part = _QUOTED.match(text, at) or _PLAIN.match(text, at)
        if part is None:
            break
        at = part.end()
    return at


def _logins(text: str) -> list[tuple[int, int]]:
    """Passwords given by a short option to programs that take them so."""
    spans = []
    at = 0
    for program in _ASKED.finditer(text):
        if program.end() < at:
            continue
        stop = _END.search(text, program.end())
        at = stop.start() if stop else len(text)
        spans += [found.span(1) for found in _PASSED.finditer(text, program.end(), at)]
    return spans


def _userinfo(text: str, found: re.Match[str]) -> tuple[int, int]:
    """The password before the `@` of a URL (RFC 3986, 3.2.1); the whole where there is no user, as tokens are given."""
    start, end = found.start(), found.end() - 1
    colon = text.find(":", start, end)
    return (start if colon < 0 else colon + 1, end)


def _coded(word: str) -> bool:
    return any([char.isdigit() or char.isupper() or char == "=" for char in word])
