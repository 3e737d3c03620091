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
        "The content of a target runs to the matching `)` on the same line. Parentheses nest; `\\)` is one that does "
        'not count. Anything at all may stand in the quoted form `Tool("…")`.',
    ),
    "E105": (
        "nested too deep",
        "Raw content may nest parentheses 8 deep; conditions and blocks may nest 64 deep. Use the quoted form "
        '`Tool("…")` for content that needs more.',
    ),
    "E106": (
        "character that may not stand in a policy",
        "Control characters, halves of surrogate pairs, other line separators, and characters that change the "
        "direction of writing make a text look other than it reads. In a string they can be written as `\\u{…}`.",
    ),
    "E107": (
        "empty parentheses",
        "`Tool()` could mean any call or one without content. Write `Tool` for any call, `Tool(*)` for any content, "
        '`Tool("")` for empty content.',
    ),
    "E108": (
        "unknown escape in a string",
        'The escapes in strings are `\\"`, `\\\\`, `\\n`, `\\t` and `\\u{HEX}` with a code point from 0 to 10FFFF that '
        "is not a surrogate.",
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
        "Behind an option or operands `acts` says what that value does; alone it says what the whole program does. "
        "Since line breaks carry no meaning, it must stand on the line of its option, or in front of all options.",
    ),
    "E113": (
        "curly quotation mark",
        'Strings stand in straight quotation marks, `"`. Word processors replace them without asking.',
    ),
    "E310": (
        "option declared twice",
        "Two clauses of one program give roles to the same option. Several clauses are meant for values that differ: each but "
        "one then says `matching`.",
    ),
    "E311": ("selector without operands", "Operands are selected as by a slice: from a start, up to an end that is not included."),
    "E312": (
        "words of a role that do not go together",
        "Some words say what is done with a value, others how; those that say how need one that they belong to.",
    ),
    "E313": (
        "role in the wrong place",
        "Flags have no value, standard input is no file, and some words are said of options or of operands only.",
    ),
    "E314": ("`with` an option that is not declared", "A `with` block holds when an option of the same program is given."),
    "E315": ("contradicting traits", "A program can not be read-only or inert by nature and act beyond its accesses."),
    "E316": ("name declared twice", "One declaration names each program, and a program each of its subcommands, once."),
    "E317": ("unknown language", "Inline code is looked at by its language. `other` stands for any that is not in the list."),
    "E318": (
        "no spelling of an option",
        "Options are spelled as they are given, without their value; `NAME=` only in a program with `style assignments`.",
    ),
}
