"""Whole policy files as text, for property tests: every statement and clause, any spacing, comments everywhere.

What comes out always parses. It need not check: names are drawn from a small pool, and nothing says they are defined.
"""

from __future__ import annotations

from itertools import cycle

from hypothesis import strategies as st

Tokens = list[str]  # pieces between which any blanks may stand

_CHARACTERS = st.characters(
    exclude_categories=["Cs", "Cc", "Zl", "Zp"],
    exclude_characters="\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff",
)
_LONG = "a rather long text that makes lines grow beyond what fits on them"

names = st.sampled_from(["a", "b-1", "data", "deny", "mode", "when", "org.base", "until", "x_y", "everyday-programs"])
strings = st.one_of(
    st.sampled_from(['""', '"x"', '"a b"', '"\\\\ \\" \\n \\t \\u{1F600}"', '"# no comment"', '"{"', f'"{_LONG}"']),
    st.text(_CHARACTERS, max_size=8).map(lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'),
)
words = st.sampled_from(
    ["-a", "--all", "x", "**/.env", "~/.ssh/**", "*.acme.example", "a#b", "of=", "[", "g++", "deny"]
)
items = words | strings
tool_names = st.sampled_from(["Bash", "Read", "mcp__x__*", "*", "a.b-c", "deny", "when"])
labels = st.sampled_from(["no-force-push", "1st", "deny", "x.y", "in"])
capabilities = st.sampled_from(["fs.read", "fs.write", "fs.delete", "net.connect", "exec"])
comments = st.text(_CHARACTERS, max_size=6).map(lambda text: f"# {text}\n")
separators = st.one_of(
    st.sampled_from([" ", "  ", "\t", "\n", "\r\n", "\n\n\n"]),
    comments.map(lambda comment: f" {comment}"),
    comments.map(lambda comment: f"\n\n  {comment}"),
    comments.map(lambda comment: f"\n{comment}\n"),
)

_RAW = st.recursive(
    st.text(
        st.sampled_from('ab *-./$"@#{},;=:') | _CHARACTERS.filter(lambda c: c not in "()\\"), min_size=1, max_size=6
    )
    | st.sampled_from(["\\)", "\\(", "\\\\", "git push ", _LONG]),
    lambda inner: st.lists(inner, min_size=1, max_size=2).map("".join) | inner.map(lambda text: f"({text})"),
    max_leaves=4,
)


def _allowed_raw(text: str) -> bool:
    """Raw content is not blank, not deeper than 8, and does not look like the `like` form."""
    stripped = text.strip(" \t")
    return bool(stripped) and text.count("(") <= 8 and stripped.split(" ")[0].split("\t")[0] != "like"


contents = st.one_of(
    _RAW.filter(_allowed_raw),
    strings,
    strings.map(lambda string: f" {string} "),
    strings.map(lambda string: f"like {string}"),
)


@st.composite
def targets(draw: st.DrawFn) -> str:
    name = draw(tool_names | capabilities)
    return f"{name}({draw(contents)})" if draw(st.booleans()) else name


def _listed(element: st.SearchStrategy[str], most: int = 4) -> st.SearchStrategy[Tokens]:
    """One or more, with commas; now and then many, so that lines must break."""
    some = st.lists(element, min_size=1, max_size=most)
    many = element.map(lambda one: [one] * 25)
    return (some | some | some | many).map(_with_commas)


def _with_commas(elements: list[str]) -> Tokens:
    return [token for element in elements for token in (element, ",")][:-1]


def _row(*parts: st.SearchStrategy[Tokens] | str) -> st.SearchStrategy[Tokens]:
    """The parts one after another; a plain string is one token."""
    strategies = [st.just([part]) if isinstance(part, str) else part for part in parts]
    return st.tuples(*strategies).map(lambda rows: [token for row in rows for token in row])


def _one(element: st.SearchStrategy[str]) -> st.SearchStrategy[Tokens]:
    return element.map(lambda token: [token])


def _maybe(part: st.SearchStrategy[Tokens]) -> st.SearchStrategy[Tokens]:
    return st.just([]) | part


def _repeated(part: st.SearchStrategy[Tokens], most: int = 3) -> st.SearchStrategy[Tokens]:
    return st.lists(part, max_size=most).map(lambda rows: [token for row in rows for token in row])


# --- conditions -----------------------------------------------------------------------------------------------

facts = st.sampled_from(["request.user", "command.words", "data.on-call.users", "input.in", "a", "@secrets"])
constants = strings | st.integers(-(10**17), 10**17).map(str) | st.sampled_from(["true", "false"])
comparisons = st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "in", "not in", "like", "matches", "has"])
_OPERANDS = st.one_of(
    _one(facts),
    _one(constants),
    _row("count", "(", _one(facts), ")"),
    _row("[", _maybe(_listed(constants, 2)), "]"),
)


def _conditions(inner: st.SearchStrategy[Tokens]) -> st.SearchStrategy[Tokens]:
    group = _row("(", inner, ")")
    operand = _OPERANDS | group
    simple = operand | _row(operand, _one(comparisons), operand) | _row("not", operand)
    return simple | _row(simple, "and", simple) | _row(simple, "or", simple, "and", simple) | _row(simple, "or", simple)


conditions = st.recursive(_OPERANDS, _conditions, max_leaves=6)

# --- statements -----------------------------------------------------------------------------------------------

_DATES = st.dates().map(lambda date: f"{date.year:04}-{date.month:02}-{date.day:02}")
_CLAUSES = st.one_of(
    _row("because", _one(strings)),
    _row("severity", _one(st.sampled_from(["low", "medium", "high", "critical"]))),
    _row("owner", _one(strings)),
    _row("ticket", _one(strings)),
    _row("until", _one(_DATES)),
    _row("in mode", _listed(names, 2)),
    _row("for agent", _listed(names, 2)),
    _row("when", conditions),
)
rules = _row(
    _maybe(_one(st.just("shadow"))),
    _one(st.sampled_from(["deny", "ask", "guard", "allow"])),
    _maybe(_one(labels.map(lambda label: f"{label}:"))),
    _listed(targets()),
    _maybe(_row("except", _listed(targets(), 2))),
    _repeated(_CLAUSES),
)
_TIERS = _one(st.sampled_from(["org", "team", "project", "user", "session"]))
_OUTCOMES = _one(st.sampled_from(["deny", "ask", "allow"]))
headers = _row(
    "policy", _one(names), _maybe(_row("for", _TIERS)), _maybe(_one(strings)), _maybe(_row("owner", _one(strings)))
)
sets = _row(
    "set",
    _one(names),
    "=",
    _one(st.sampled_from(["paths", "hosts", "words", "tools"])),
    "{",
    _maybe(_row(_listed(items), _maybe(_one(st.just(","))))),
    "}",
)
modes = _row(
    "mode",
    _listed(names, 2),
    "{",
    _repeated(
        st.one_of(
            st.just(["only", "readonly"]),
            st.just(["allow", "everything"]),
            _row("allow", _listed(targets(), 2)),
            _row("ask", "becomes", _one(st.sampled_from(["deny", "classifier"]))),
        )
    ),
    "}",
)
tools = _row(
    "tool",
    _listed(tool_names, 2),
    _maybe(_row("=", _one(tool_names))),
    "{",
    _repeated(
        _row(
            _one(st.sampled_from(["subject", "also"])),
            _listed(names, 2),
            _maybe(_row(":", _one(st.sampled_from(["shell", "path", "url", "host", "text", "patch", "cwd"])))),
            _maybe(_row("does", _listed(capabilities, 2))),
            _maybe(_one(st.just("tree"))),
            _maybe(_row("default", _one(strings))),
        )
        | st.just(["readonly"])
    ),
    "}",
)

# --- programs -------------------------------------------------------------------------------------------------

_ROLE_WORDS = _one(
    st.sampled_from(["value", "read", "write", "delete", "edit", "connect", "run", "shell", "enter", "placeholder"])
)
_MODIFIERS = st.lists(
    st.sampled_from(["tree", "dynamic", "elsewhere", "here", "last", "assigns", "pair", "rest"]), max_size=2
)
# `acts` must stand on the line of what it belongs to, so it is one token with the word before it.
_ROLES = _row(
    _ROLE_WORDS | st.just(["code", "awk"]) | st.just(["write acts"]),
    _repeated(_ROLE_WORDS, 1),
    _MODIFIERS,
    _maybe(_row("until", _listed(strings, 2))),
    _maybe(_row("matching", _one(strings))),
)
_SELECTORS = _maybe(_one(st.sampled_from(["[0]", "[-1]", "[-2]", "[1..]", "[..-1]", "[ 1 .. 3 ]", "[-3..-1]"])))
_TRAITS = st.sampled_from(
    [
        ["readonly"],
        ["inert"],
        ["other", "options", "harmless"],
        ["style", "single-dash", "plus"],
        ["style", "no-options"],
    ]
)
_OPERAND_CLAUSES = st.one_of(
    _row("operands", _SELECTORS, _ROLES),
    _row("wraps", "operands", _SELECTORS, _MODIFIERS),
    _row("input", _ROLES),
)
_OPTION_CLAUSES = _row(
    _maybe(_one(st.just("global"))),
    _one(st.sampled_from(["flag", "option", "optional"])),
    _listed(items, 3),
    _maybe(_ROLES),
)
_WITH_CLAUSES = st.recursive(
    _TRAITS | _OPERAND_CLAUSES | _OPTION_CLAUSES,
    lambda inner: _row("with", _listed(items, 2), "{", "acts", _repeated(inner), "}"),
    max_leaves=3,
)
_PROGRAM_CLAUSES = st.recursive(
    _TRAITS | _OPERAND_CLAUSES | _OPTION_CLAUSES | _WITH_CLAUSES,
    lambda inner: _row("subcommand", _listed(items, 2), "{", _repeated(inner), "}"),
    max_leaves=4,
)
programs = _row("program", _listed(items, 2), "{", _repeated(_PROGRAM_CLAUSES, 4), "}")

# --- tests and the rest -----------------------------------------------------------------------------------------

_SETTINGS = st.one_of(
    _row("mode", _one(names)),
    _row("tier", _TIERS),
    _row(_one(st.sampled_from(["cwd", "workspace", "home", "user", "host", "agent", "time", "file"])), _one(strings)),
    _row("interactive", _one(st.sampled_from(["true", "false"]))),
    _row("label", _one(names), "=", _one(strings)),
    _row("link", _one(strings), "to", _one(strings)),
)
_INPUTS = _repeated(_row(_one(names), _one(strings)), 3) | _row(_one(names), st.just([f'"{_LONG}"'])).map(
    lambda row: row * 3
)
_EXPECTATIONS = _row(_OUTCOMES, _one(targets()), _maybe(_row("{", _INPUTS, "}")), _maybe(_row("by", _one(labels))))


def _not_a_keyword(tokens: Tokens) -> bool:
    """Behind `default ask` the word `deny` begins the next statement."""
    return tokens[0].partition("(")[0] != "deny"


tests = _row("test", _one(strings), "{", _repeated(_SETTINGS), _repeated(_EXPECTATIONS), "}")
others = st.one_of(
    _row("use", _one(names)),
    _row("data", _one(names), "from", _one(strings)),
    _row("default", _OUTCOMES, _maybe(_listed(targets(), 2).filter(_not_a_keyword))),
    _row("env", _listed(items), _one(st.sampled_from(["harmless", "runs"]))),
    _row("forbid", "mode", _listed(names, 2)),
    _row("lower", "tiers", "may", _listed(st.sampled_from(["deny", "ask", "guard", "allow", "nothing"]), 3)),
    _row("on", "unparseable", _one(st.sampled_from(["deny", "ask"]))),
)
statements = st.one_of(headers, sets, rules, rules, modes, tools, programs, tests, others)


@st.composite
def policy_files(draw: st.DrawFn, of: st.SearchStrategy[Tokens] = statements) -> str:
    """The text of a policy file of up to four statements."""
    tokens = [token for row in draw(st.lists(of, max_size=4)) for token in row]
    return _spell(tokens, draw(st.lists(separators, min_size=1, max_size=6)))


def _spell(tokens: Tokens, blanks: list[str]) -> str:
    between = cycle(blanks)
    return "".join([next(between) + token for token in tokens]) + next(between)
