"""Commands that a text may hold which is not read as shell here: a value that a program runs, source code, a word of an unknown program.

Nothing is parsed: quotes, brackets and operators of whatever language fall away, and what is left is words in order. A command
that the text runs is among them, so a rule about it can be asked; that the text runs it is never certain. Pure.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Beyond these, what follows is not known.
MAX_TEXT = 16 * 1024
MAX_TAIL = 32
MAX_MENTIONS = 8

# What separates words, beside blanks. Without `re`, whose import takes as long as all the rest of a hook.
_SEPARATORS = str.maketrans(dict.fromkeys("\"'`()[]{},;|&<>!", " "))


def text_words(text: str) -> list[str]:
    """The words of a text, without quotes, brackets and operators. Linear."""
    return text[:MAX_TEXT].translate(_SEPARATORS).split()


def mentions(text: str, named: Callable[[str], bool]) -> Iterator[tuple[tuple[str, ...], bool]]:
    """The places where a program that `named` knows may start a command: its words, and whether there are no more than those."""
    words = text_words(text)
    whole = len(text) <= MAX_TEXT
    count = 0
    for place, word in enumerate(words):
        start = next((name for name in spellings(word) if named(name)), None)
        if start is None:
            continue
        count += 1
        end = place + 1 + MAX_TAIL
        yield (start, *words[place + 1 : end]), whole and end >= len(words) and count < MAX_MENTIONS
        if count == MAX_MENTIONS:
            return


def spellings(word: str) -> tuple[str, ...]:
    """What a word may name: all of it, or what stands behind its last `=` or `:` (`core.pager=less`, `EXEC:ls`)."""
    at = max(word.rfind("="), word.rfind(":"))
    return (word, word[at + 1 :]) if 0 <= at < len(word) - 1 else (word,)


def value_parts(word: str) -> tuple[str, ...]:
    """What a word of an unknown program may name: all of it, an option's value (`--to=x`, `-fx`), and what stands between `=`, `@`, `,`
    and `:` (`file=@x`, `host:x`). An option by itself names nothing."""
    whole = [word]
    if word.startswith("-"):
        _, equals, value = word.partition("=")
        attached = word[2:] if word[:2] != "--" else ""
        whole = [value if equals else "", attached]
    pieces = [piece for text in whole for piece in _pieces(text)[:MAX_MENTIONS]]
    return tuple(dict.fromkeys([text for text in (*whole, *pieces) if text]))


def _pieces(text: str) -> list[str]:
    return text.replace("@", "=").replace(",", "=").replace(":", "=").split("=")
