"""The syntax tree of a policy file: what was written, and where. No meaning: the checker gives that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from remit_dsl.source import Span

Effect = Literal["deny", "ask", "guard", "allow"]
Outcome = Literal["deny", "ask", "allow"]
SetKind = Literal["paths", "hosts", "words", "tools"]
ContentForm = Literal["raw", "quoted", "like"]


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier, option spelling or tool name as written (escapes decoded)."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Text:
    """A quoted string with its escapes decoded."""

    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class Content:
    """What stands between the parentheses of a target.

    `raw`: text as written, a pattern in the notation of the tool's subject. `quoted` (`Tool("…")`): the decoded string,
    the same notation, but any character may stand in it. `like` (`Tool(like "…")`): a text pattern.
    """

    form: ContentForm
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Target:
    """`Tool`, `Tool(content)`, `mcp__x__*` or a capability such as `fs.read(content)`."""

    name: str
    content: Content | None
    span: Span


# --- conditions ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Literal_:
    """A constant: string, integer, boolean or a list of constants."""

    value: str | int | bool | tuple[str | int | bool, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Fact:
    """A dotted name: `request.labels.env`, `data.oncall.users`, or a set as `@secrets` (path `("@", "secrets")`)."""

    path: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Count:
    """`count(fact)`: the number of elements of a list, characters of a string."""

    of: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Compare:
    """`left OP right`; `not in` is written as Not(Compare("in"))."""

    op: Literal["==", "!=", "<", "<=", ">", ">=", "in", "like", "matches", "has"]
    left: Expr
    right: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Not:
    operand: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class And:
    operands: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Or:
    operands: tuple[Expr, ...]
    span: Span


Expr = Literal_ | Fact | Count | Compare | Not | And | Or


# --- statements ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Header:
    """`policy NAME [for TIER] ["title"] [owner "…"]`."""

    name: Name
    tier: Name | None
    title: Text | None
    owner: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class Use:
    """`use std`, `use std.reading`."""

    module: Name
    span: Span


@dataclass(frozen=True, slots=True)
class SetDef:
    """`set NAME = KIND { item, item }`; items keep whether they were quoted."""

    name: Name
    kind: SetKind
    items: tuple[Text, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class DataDef:
    """`data NAME from "file.json"`."""

    name: Name
    file: Text
    span: Span


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a rule, in the order written. A clause given twice is the checker's business.

    keyword -> value: because/severity/owner/ticket -> Text (severity: low, medium, high, critical),
    until -> Text (ISO date), modes/agents -> tuple[Name, ...], when -> Expr,
    approvable -> Text (the word itself).
    """

    keyword: Literal["because", "severity", "owner", "ticket", "until", "modes", "agents", "when", "approvable"]
    value: Text | tuple[Name, ...] | Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Rule:
    """`[shadow] EFFECT [label:] target, … [except target, …] clause…`."""

    effect: Effect
    shadow: bool
    label: Name | None
    targets: tuple[Target, ...]
    excepts: tuple[Target, ...]
    clauses: tuple[Clause, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Default:
    """`default ask`, `default allow fs.read(./**)`; no targets = the global default."""

    effect: Outcome
    targets: tuple[Target, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ModeItem:
    """One line of a mode: kind `only_readonly`, `narrow`, `allow` (targets; none = `allow everything`) or `ask_becomes`."""

    kind: Literal["only_readonly", "narrow", "allow", "ask_becomes"]
    targets: tuple[Target, ...]
    becomes: Literal["", "deny", "classifier"]
    span: Span


@dataclass(frozen=True, slots=True)
class ModeDef:
    """`mode bypass { allow everything }`."""

    names: tuple[Name, ...]
    items: tuple[ModeItem, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ToolParam:
    """`subject a, b: KIND [does CAP, CAP] [tree] [default "…"]` or `also …` (accesses beside the subject).

    `names` are spellings of one parameter. `kind` is None where a tool alias takes its base's kind.
    """

    subject: bool
    names: tuple[Name, ...]
    kind: Name | None
    does: tuple[Name, ...]
    tree: bool
    default: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class ToolDef:
    """`tool A, B [= BASE] { param… [readonly] trait… }`. traits: what the tool says of itself to its host, each once."""

    names: tuple[Name, ...]
    base: Name | None
    params: tuple[ToolParam, ...]
    readonly: bool
    traits: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Selector:
    """Operand positions as a Python slice: `[1..]` -> (1, None), `[..-1]` -> (None, -1), `[0]` -> (0, 1) and `[-1]`
    -> (-1, None); no selector -> (None, None)."""

    start: int | None
    stop: int | None


@dataclass(frozen=True, slots=True)
class Role:
    """What a value is to its program: one or more of the role words, with modifiers (docs/language.md, `program`)."""

    words: tuple[str, ...]
    until: tuple[str, ...]
    matching: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Trait:
    """A bare word clause: `readonly`, `inert`, `acts`, `other options harmless`, `style …` (words joined by a space)."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class OptionClause:
    """`[global] flag|option SPELLING, … [role]`. `takes`: a flag takes no value, an option takes one."""

    is_global: bool
    takes: Literal["none", "value", "optional"]
    spellings: tuple[Name, ...]
    roles: tuple[Role, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class OperandClause:
    """`operands[SELECTOR] ROLE`, `wraps operands[SELECTOR] …` (role word `command`) or `input ROLE` (selector None)."""

    selector: Selector | None
    role: Role
    span: Span


@dataclass(frozen=True, slots=True)
class WithClause:
    """`with -x, -y { … }`: the clauses hold as well when one of the options is given."""

    spellings: tuple[Name, ...]
    body: tuple[ProgramClause, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class SubcommandClause:
    """`subcommand a, b { … }`."""

    names: tuple[Name, ...]
    body: tuple[ProgramClause, ...]
    span: Span


ProgramClause = Trait | OptionClause | OperandClause | WithClause | SubcommandClause


@dataclass(frozen=True, slots=True)
class ProgramDef:
    """`program a, b { clause… }`."""

    names: tuple[Name, ...]
    body: tuple[ProgramClause, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class EnvDef:
    """`env NAME, LC_*, CC=gcc harmless|runs`: what an assignment in front of a command means."""

    names: tuple[Text, ...]
    kind: Literal["harmless", "runs"]
    span: Span


@dataclass(frozen=True, slots=True)
class ForbidMode:
    """`forbid mode bypass`."""

    modes: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class LowerTiers:
    """`lower tiers may deny, ask` (words: deny, ask, guard, allow, nothing)."""

    may: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class OnUnparseable:
    """`on unparseable deny|ask`."""

    effect: Literal["deny", "ask"]
    span: Span


@dataclass(frozen=True, slots=True)
class TestSetting:
    """One setting of a test: mode, cwd, workspace, home, user, host, agent, tier, time, interactive -> (keyword, "", value);
    `label env = "prod"` -> ("label", "env", "prod"); `link "a" to "b"` -> ("link", "a", "b"); `file "x"` -> ("file", "", "x")."""

    keyword: str
    key: str
    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class Expectation:
    """`deny TARGET [{ param "value" … }] [by LABEL]`; the content of the target is the subject's text, not a pattern."""

    decision: Outcome
    target: Target
    inputs: tuple[tuple[Name, Text], ...]
    by: Name | None
    span: Span


@dataclass(frozen=True, slots=True)
class Test:
    """`test "name" { setting… expectation… }`."""

    name: Text
    settings: tuple[TestSetting, ...]
    expectations: tuple[Expectation, ...]
    span: Span


Statement = (
    Header
    | Use
    | SetDef
    | DataDef
    | Rule
    | Default
    | ModeDef
    | ToolDef
    | ProgramDef
    | EnvDef
    | ForbidMode
    | LowerTiers
    | OnUnparseable
    | Test
)


@dataclass(frozen=True, slots=True)
class Comment:
    """`# …` to the end of its line; `own_line` when nothing but blanks stands before it."""

    text: str
    own_line: bool
    span: Span


@dataclass(frozen=True, slots=True)
class File:
    """One parsed policy file."""

    statements: tuple[Statement, ...]
    comments: tuple[Comment, ...]
