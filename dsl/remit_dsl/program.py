"""The decision program: what a set of policies compiles to. Immutable, printable, hashable, JSON both ways.

A program is made of plain JSON values (`tables`), so that a cold start reads it without parsing policy text; rules are turned
into nouns when they are first looked at. Its revision is the hash of those values: same meaning, same revision.
"""

from __future__ import annotations

from remit_dsl.digest import fingerprint_of
from remit_dsl.json_text import loads
from remit_dsl.plans import shell_plan
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Raise whenever a reader of the old form would misread the new one: a cached program of another format is compiled anew.
FORMAT = 2

# The stages of the ladder, in order; rules are sorted by them.
EFFECTS = ("deny", "ask", "guard", "allow")
FILE_CAPABILITIES = ("fs.read", "fs.write", "fs.delete")
TIERS = ("org", "team", "project", "user", "session")
SEVERITIES = ("low", "medium", "high", "critical")


class Target(NamedTuple):
    """One alternative of a rule.

    kind: `any` (every call of the tools that `name` matches), `shell` (patterns: one ShellPlan), `like` (one Glob over the
    canonical text), `text` (one Glob over the subject), `path` (PathPatterns over the subject), `host` (HostPatterns over
    the subject), `cap` (name is a capability; patterns over the target of its accesses, none: every access).
    name: a Glob over tool names, or the capability.
    """

    kind: str
    name: Any
    patterns: tuple[Any, ...]
    text: str


class Rule(NamedTuple):
    """One rule, ready to be matched. until: ISO date, the last day on which it holds, or "". plain: its targets are all there is to it
    (no exceptions, condition, modes, agents or end). approvable: a guard whose ask a classifier may answer."""

    id: str
    effect: str
    shadow: bool
    targets: tuple[Target, ...]
    excepts: tuple[Target, ...]
    when: Any
    modes: tuple[str, ...]
    agents: tuple[str, ...]
    until: str
    because: str
    severity: str
    owner: str
    ticket: str
    policy: str
    tier: str
    at: str
    approvable: bool = False
    plain: bool = False


class Default(NamedTuple):
    """What holds where no rule speaks. No targets: the global default."""

    effect: str
    targets: tuple[Target, ...]
    policy: str
    tier: str
    at: str


class Mode(NamedTuple):
    """What a mode says of its own. ask_becomes: "" | "deny" | "classifier". narrow: broad allows are set aside (`remit_dsl.breadth`)."""

    name: str
    only_readonly: bool
    allow_everything: bool
    allow: tuple[Target, ...]
    ask_becomes: str
    narrow: bool


class ToolParam(NamedTuple):
    """One parameter of a tool: its spellings, kind (shell, path, url, host, text, patch, cwd), what it `does`, and its default."""

    subject: bool
    names: tuple[str, ...]
    kind: str
    does: tuple[str, ...]
    tree: bool
    default: str | None


class Tool(NamedTuple):
    """A declared tool. `name` is the common name, which an alias shares with its base. is_shell: its subject is a command. traits: what a
    host may ask: "uninterruptible" (it ends what it began when the run is cancelled), "concurrent" (it may run beside others),
    "aborts-siblings" (when it fails, calls that run beside it end)."""

    name: str
    params: tuple[ToolParam, ...]
    readonly: bool
    is_shell: bool
    command: ToolParam | None
    folder: ToolParam | None
    traits: tuple[str, ...] = ()


def tool_from(row: Any) -> Tool:
    """A Tool from its JSON row; the parameters that a shell call turns on are found once."""
    params = tuple([ToolParam(p[0], tuple(p[1]), p[2], tuple(p[3]), p[4], p[5]) for p in row[1]])
    command = next((param for param in params if param.subject and param.kind == "shell"), None)
    folder = next((param for param in params if param.kind == "cwd"), None)
    return Tool(row[0], params, row[2], command is not None, command, folder, tuple(row[3]))


def freeze(value: Any) -> Any:
    """`value` with every list turned into a tuple; dicts keep their values frozen."""
    if isinstance(value, (list, tuple)):
        return tuple([freeze(item) for item in value])
    if isinstance(value, dict):
        return {key: freeze(item) for key, item in value.items()}
    return value


def target_from(row: Any) -> Target:
    """A Target from its JSON row; shell patterns are planned."""
    patterns = freeze(row[2])
    if row[0] == "shell":
        patterns = tuple([shell_plan(pattern) for pattern in patterns])
    return Target(row[0], freeze(row[1]), patterns, row[3])


def rule_from(row: Any) -> Rule:
    """A Rule from its JSON row."""
    plain = not (row[4] or row[5] is not None or row[6] or row[7] or row[8])
    targets = tuple([target_from(item) for item in row[3]])
    excepts = tuple([target_from(item) for item in row[4]])
    when, modes, agents = freeze(row[5]), tuple(row[6]), tuple(row[7])
    return Rule._make((*row[:3], targets, excepts, when, modes, agents, *row[8:], plain))


class Program:
    """Read-only view of compiled tables. Thread-safe: what is built on demand is built the same by whoever comes first."""

    __slots__ = (
        "_modes",
        "_rules",
        "_targets",
        "_tools",
        "asks_paths",
        "cache",
        "defaults",
        "denies_by_default",
        "env_harmless",
        "env_runs",
        "has_shadow",
        "revision",
        "tables",
    )

    def __init__(self, tables: dict[str, Any], revision: str = "") -> None:
        self.tables = tables
        self.revision = revision or revision_of(tables)
        # For whoever evaluates the program: what follows from the program alone, made when first needed.
        self.cache: dict[Any, Any] = {}
        self._rules: dict[int, Rule] = {}
        self._targets: dict[tuple[int, int], Target] = {}
        self._tools: dict[str, Tool | None] = {}
        self._modes: dict[str, Mode | None] = {}
        self.env_harmless: Any = freeze(tables["env_harmless"])
        self.env_runs: Any = freeze(tables["env_runs"])
        # Rules under trial stand last in the program's order.
        self.has_shadow = bool(tables["rules"] and tables["rules"][-1][2])
        self.defaults: tuple[Default, ...] = tuple(
            [Default(row[0], tuple([target_from(item) for item in row[1]]), *row[2:]) for row in tables["defaults"]]
        )

        self.denies_by_default = any(default.effect == "deny" for default in self.defaults)
        # Resolving paths costs more than all the rest of a decision: it is done where a rule or a default asks for it.
        asked = {
            *tables["index"]["caps"],
            *[t.name for default in self.defaults for t in default.targets if t.kind == "cap"],
        }
        self.asks_paths = not asked.isdisjoint(FILE_CAPABILITIES)

    def __len__(self) -> int:
        return len(self.tables["rules"])

    def rule(self, index: int) -> Rule:
        """The rule at `index` of the program's order."""
        found = self._rules.get(index)
        if found is None:
            found = self._rules[index] = rule_from(self.tables["rules"][index])
        return found

    def target(self, rule: int, place: int) -> Target:
        """One target of a rule. Some rules have many, of which few matter to a call: the rule itself is not made for that."""
        made = self._rules.get(rule)
        if made is not None:
            return made.targets[place]
        found = self._targets.get((rule, place))
        if found is None:
            found = self._targets[rule, place] = target_from(self.tables["rules"][rule][3][place])
        return found

    def tool(self, name: str) -> Tool | None:
        """The declaration behind a tool's name (an alias gives its base's common name), or None."""
        row = self.tables["tools"].get(name)
        if row is None:
            return None
        found = self._tools.get(name)
        if found is None:
            found = self._tools[name] = tool_from(row)
        return found

    def spec(self, program: str) -> dict[str, Any] | None:
        """The compiled declaration of a program, by base name, or None."""
        at = self.tables["program_names"].get(program)
        if at is None:
            return None
        found = self.tables["programs"][at]
        if type(found) is str:  # as a cache keeps it: most calls need one or two of hundreds
            found = self.tables["programs"][at] = loads(found)
        return found  # type: ignore[no-any-return]

    def mode(self, name: str) -> Mode | None:
        """The mode called `name` (aliases too), or None when it is not defined or forbidden."""
        row = self.tables["modes"].get(name)
        if row is None or name in self.tables["forbidden_modes"] or row[0] in self.tables["forbidden_modes"]:
            return None
        found = self._modes.get(name)
        if found is None:
            allow = tuple([target_from(item) for item in row[3]])
            found = self._modes[name] = Mode(row[0], row[1], row[2], allow, row[4], row[5])
        return found

    def to_json(self) -> str:
        """Canonical JSON text of the program: format, revision, tables."""
        import json

        programs = [loads(spec) if isinstance(spec, str) else spec for spec in self.tables["programs"]]
        tables = {**self.tables, "programs": programs}
        return json.dumps({"format": FORMAT, "revision": self.revision, "tables": tables}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Program:
        """The program that `to_json` wrote. Raises ValueError when format or revision is not right."""
        data = loads(text)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ValueError("not a program of this format")
        program = cls(data["tables"])
        if program.revision != data.get("revision"):
            raise ValueError("the program does not match its revision")
        return program


def revision_of(tables: dict[str, Any]) -> str:
    """`sha256:` and the hash of the tables in canonical JSON (sorted keys, no blanks)."""
    import json

    text = json.dumps(tables, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return fingerprint_of(text)
