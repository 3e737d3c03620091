"""The table of diagnostic codes. A code never changes its meaning and is never used again for another.

E1xx syntax, E2xx names and types, E3xx meaning, E4xx tests and examples, E5xx loading, W6xx warnings, L7xx lints, A8xx what an
agent cannot hold.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    "E201": ("unknown fact", "Conditions may ask for the facts of docs/language.md and for nothing else."),
    "E202": (
        "unknown set",
        "A policy sees the sets that it defines, and those of the policies that it names with `use`.",
    ),
    "E203": ("unknown mode", "Modes are defined with `mode`; `use std` brings those that the known agents have."),
    "E204": ("unknown tool", "An alias needs a tool that is declared: `tool NAME = BASE { … }`."),
    "E205": (
        "nothing of this name to use",
        "`use` names a module of the standard library or a policy that is loaded as well.",
    ),
    "E206": ("unknown label", "A test names the rule that it expects to decide by the rule's label."),
    "E207": (
        "label used twice",
        "Verdicts, metrics and tests name a rule by its label, so that it must be one rule's.",
    ),
    "E208": (
        "defined twice",
        "Two definitions of one name, of which neither comes before the other: no order of files would be right.",
    ),
    "E209": ("clause said twice", "A rule has each of its clauses once. Join conditions with `and`."),
    "E210": (
        "values that do not fit",
        "The two sides can never be compared, so that the condition would always come out the same.",
    ),
    "E211": (
        "set of another kind",
        "Paths are looked up in sets of paths, hosts in sets of hosts, words in sets of words.",
    ),
    "E212": ("unknown data", 'Data is declared in the same file: `data NAME from "file.json"`.'),
    "E213": ("unknown capability", "The capabilities are fs.read, fs.write, fs.delete, net.connect and exec."),
    "E214": (
        "clause of another effect",
        "`approvable` lets a classifier answer what a guard asks; other rules are never a classifier's to answer.",
    ),
    "E301": (
        "pattern that cannot be read",
        "docs/language.md describes the patterns for commands, paths, hosts and text.",
    ),
    "E302": (
        "no such day",
        "`until` takes a day of the calendar as YEAR-MONTH-DAY; it is the last one on which the rule holds.",
    ),
    "E303": (
        "regular expression that RE2 does not know",
        "`matches` takes RE2 syntax, which has no references back and no look-around: matching takes linear time.",
    ),
    "E304": (
        "tool without a subject",
        "A pattern in parentheses is matched against a tool's subject; this tool has none.",
    ),
    "E305": ("header in the wrong place", "A file is one policy. Its header, if it has one, is its first statement."),
    "E307": (
        "tool declaration that says too little or too much",
        "A tool has one subject, and every parameter a kind.",
    ),
    "E308": ("alias of itself", "Following the bases of an alias must end at a tool that is no alias."),
    "E309": (
        "no variable",
        "`env` names variables: `NAME`, `NAME_*`, or `NAME=value` where only that value is harmless.",
    ),
    "E310": (
        "option declared twice",
        "Two clauses of one program give roles to the same option. Several clauses are meant for values that differ: each but "
        "one then says `matching`.",
    ),
    "E311": (
        "selector without operands",
        "Operands are selected as by a slice: from a start, up to an end that is not included.",
    ),
    "E312": (
        "words of a role that do not go together",
        "Some words say what is done with a value, others how; those that say how need one that they belong to.",
    ),
    "E313": (
        "role in the wrong place",
        "Flags have no value, standard input is no file, and some words are said of options or of operands only.",
    ),
    "E314": (
        "`with` an option that is not declared",
        "A `with` block holds when an option of the same program is given.",
    ),
    "E315": ("contradicting traits", "A program can not be read-only or inert by nature and act beyond its accesses."),
    "E316": ("name declared twice", "One declaration names each program, and a program each of its subcommands, once."),
    "E317": (
        "unknown language",
        "Inline code is looked at by its language. `other` stands for any that is not in the list.",
    ),
    "E318": (
        "no spelling of an option",
        "Options are spelled as they are given, without their value; `NAME=` only in a program with `style assignments`.",
    ),
    "E401": ("test that expects nothing", "A test ends with what it expects: `deny`, `ask` or `allow` and a call."),
    "E402": (
        "setting given twice",
        "A test has one mode, one working folder and so on. Only files and links may be several.",
    ),
    "E403": ("no such time", "The time of a test is written as in ISO 8601, without a zone: `2026-12-01T10:00`."),
    "E404": (
        "expectation about a pattern",
        "A test asks for the decision on one call: a tool, and what it is called with.",
    ),
    "E501": ("file that cannot be read", "Every policy that is there must be readable, or nothing is loaded."),
    "E502": ("no policy", "Without any policy there is nothing to decide by."),
    "E503": ("file that is not UTF-8", "Policies are written in UTF-8."),
    "E504": ("too much to read", "The limits are 16 MiB for a file, 64 MiB for all, 10,000 files and 10,000 folders."),
    "E505": (
        "folder or link in a circle",
        "A folder that contains itself, a link that leads to itself, or nesting 32 deep.",
    ),
    "E506": (
        "data file that cannot be read",
        "Data files are named relative to the policy's folder, stand in or below it, and must be readable.",
    ),
    "E507": (
        "data file that is not JSON",
        "JSON as in RFC 8259: no name twice in one object, no NaN, no infinite numbers.",
    ),
    "W601": (
        "statement beyond its rights",
        "A higher tier limits what this one may say, or the file is not trusted and may only tighten. It has no effect.",
    ),
    "W602": (
        "definition without effect",
        "A higher tier, or the standard library, defines the same name. Its definition holds.",
    ),
    "W603": ("tier that this file cannot have", "Where a file is loaded from bounds the tier that it may claim."),
    "W604": ("tool that may be misspelled", "Nobody declares a tool of this name, and one is that differs by a slip."),
    "W605": (
        "pattern on a tool that nobody declares",
        "It is not known which parameter is meant: `deny`, `ask` and `guard` hold for every call as maybe, `allow` for none.",
    ),
    "W606": (
        "rule for one agent's name of a tool",
        "The tool has a common name, which rules match whatever an agent calls it. This rule holds only for calls under the one name.",
    ),
    "W607": (
        "data that holds no such value",
        "The file has no such name at this time. What is absent equals nothing: a deny with such a condition would never hold.",
    ),
    "L701": (
        "rule that never decides",
        "Another rule of the same or an earlier stage (deny, ask, guard, allow) matches whatever this one does, and always holds "
        "when it does.",
    ),
    "L702": (
        "rule that says what another says",
        "Two rules match the same, do the same and hold under the same conditions.",
    ),
    "L703": (
        "pattern without a final star",
        "A pattern without `*` at its end matches a command with nothing after it; one argument more escapes the rule.",
    ),
    "L704": (
        "quoted operator in a command pattern",
        "A pattern describes one simple command. A quoted `&&`, `|` or `;` is part of a word and joins nothing.",
    ),
    "L705": (
        "allow that permits anything",
        "Shells, interpreters, wrappers and package runners run whatever they are told. An allow for one of them names what it "
        "may run, or it permits everything.",
    ),
    "L706": ("rule without a test", "No expectation of any test names the rule with `by`."),
    "L707": ("rule whose end has passed", "The last day on which the rule holds is over."),
    "L708": (
        "rule without a reason",
        "What `because` says is shown to the agent and to its user when the rule stops a call.",
    ),
    "A801": (
        "ask that refuses on an agent",
        "The agent's hook has no way to ask a person, so that the call is refused, with a hint how it may be allowed.",
    ),
    "A802": (
        "allow that grants nothing on an agent",
        "The agent takes no permission from its hook: the call goes on by the agent's own rules and prompts.",
    ),
    "A803": ("tool that comes by no hook", "The agent runs calls of this tool without telling anybody."),
    "A804": (
        "MCP server that an agent does not name",
        "The payload does not tell the server, or joins its name to the tool's by a sign that occurs in it.",
    ),
}
