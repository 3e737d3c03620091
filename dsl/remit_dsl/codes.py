"""The table of diagnostic codes. A code never changes its meaning and is never used again for another.

E1xx syntax, E2xx names and types, E3xx meaning, E4xx tests and examples, E5xx loading, W6xx warnings, L7xx lints.
"""

from __future__ import annotations

from typing import Final

# code -> (short title, explanation in full sentences)
CODES: Final[dict[str, tuple[str, str]]] = {
    "E100": (
        "more problems than are shown",
        "The list of problems was cut. Mend the first ones; the rest are often their consequences.",
    ),
    "E101": (
        "unexpected word or sign",
        "The text does not follow the grammar at this place. The message says what could stand here and what does.",
    ),
    "E102": (
        "unknown statement",
        "A file is a row of statements, and each begins with one of these words: policy, use, set, data, deny, ask, "
        "guard, allow, shadow, default, mode, tool, program, env, forbid, lower, on, test.",
    ),
    "E103": (
        "unclosed string",
        'A string begins and ends with `"` on one line. `\\"` is a quotation mark in it, `\\n` a line break.',
    ),
    "E104": (
        "unclosed parenthesis",
        "The content of a target runs to the matching `)` on the same line. Parentheses nest; `\\)` is one that does not "
        'count. Anything at all may stand in the quoted form `Tool("…")`.',
    ),
    "E105": (
        "nested too deep",
        "Raw content may nest parentheses 8 deep; conditions and blocks may nest 64 deep. Use the quoted form "
        '`Tool("…")` for content that needs more.',
    ),
    "E106": (
        "character that may not stand in a policy",
        "Control characters, halves of surrogate pairs, other line separators, and characters that change the direction "
        "of writing make a text look other than it reads. In a string they can be written as `\\u{…}`.",
    ),
    "E107": (
        "empty parentheses",
        "`Tool()` could mean any call or one without content. Write `Tool` for any call, `Tool(*)` for any content, "
        '`Tool("")` for empty content.',
    ),
    "E108": (
        "unknown escape in a string",
        'The escapes in strings are `\\"`, `\\\\`, `\\n`, `\\t` and `\\u{HEX}` with a code point from 0 to 10FFFF that is '
        "not a surrogate.",
    ),
    "E109": ("file too long", "A policy file may hold 4 MiB of text. Split it into several files."),
    "E110": ("unclosed block", "A block begins with `{` and ends with `}`; the file ends before that."),
    "E111": (
        "`like` without a string",
        '`Tool(like "…")` matches a text pattern, which must be a string. For a command called `like` write '
        '`Tool("like …")`.',
    ),
    "E112": (
        "`acts` at the start of a line",
        "Behind an option or operands `acts` says what that value does; alone it says what the whole program does. Since "
        "line breaks carry no meaning, it must stand on the line of its option, or in front of all options.",
    ),
    "E113": (
        "curly quotation mark",
        'Strings stand in straight quotation marks, `"`. Word processors replace them without asking.',
    ),
}
