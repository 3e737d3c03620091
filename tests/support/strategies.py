"""Whole worlds for property tests: policies of one to three tiers and the calls that they judge.

Everything is drawn from one small closed vocabulary (a dozen programs, a few folders, hosts and tools), so that rules hit often and a
naive evaluator can afford to try everything. Policies are text and go through the real compiler.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from hypothesis import strategies as st

from remit.engine import Engine
from remit.files import GivenFiles
from remit.request import Request, Session, fingerprint
from remit_dsl.checker import Memory
from remit_dsl.compiler import compile_report
from remit_dsl.policy import PolicySource
from remit_dsl.program import TIERS, Program
from remit_dsl.source import Source

VOCABULARY = """policy world.vocabulary for org
tool Bash { subject command: shell  also cwd: cwd }
tool run_shell = Bash { subject cmd }
tool Read { subject file_path: path does fs.read }
tool Write { subject file_path: path does fs.write }
tool Search { subject path: path does fs.read tree default "." }
tool WebFetch { subject url: url does net.connect }
tool Ask { subject query: text }
tool Note { readonly }
program git {
  global option -C enter  global flag -p
  subcommand push { acts  flag --force, -f  option --push-option, -o value  operands[0] connect }
  subcommand status, log { readonly  other options harmless }
}
program rm { flag -r, --recursive  flag -f, --force  operands delete  with -r { operands delete tree } }
program cat { readonly  flag -n  operands read }
program cp {
  flag -r  option -t, --target-directory write
  operands[..-1] read  operands[-1] write  with -t { operands read }
}
program find {
  readonly  style single-dash  option -name value  flag -delete  option -exec command until ";", "+"
  operands read tree  with -delete { operands read delete tree }
}
program curl { option -o, --output write  operands connect }
program echo { inert }
program cd { inert  operands enter }
program make { acts }
program sudo { option -u, --user value  wraps operands elsewhere }
program timeout { option -s, --signal value  wraps operands[1..] }
program xargs { option -n value  wraps operands dynamic }
program sh { flag -c  operands[0] run  input shell  with -c { operands[0] shell } }
env LANG harmless
env LD_PRELOAD runs
mode default { }
mode accept_edits, acceptEdits { allow fs.write(./**), fs.read(./**) }
mode plan { only readonly }
mode bypass, yolo { allow everything }
mode dont_ask { ask becomes deny }
mode auto { ask becomes classifier }
mode narrow { only narrow allows  ask becomes classifier }
"""
MODES = (
    "default",
    "default",
    "accept_edits",
    "acceptEdits",
    "plan",
    "bypass",
    "yolo",
    "dont_ask",
    "auto",
    "narrow",
    "nosuch",
)
CWD, HOME = "/w", "/h"
FILES = GivenFiles(["/w/.env", "/w/src/a.py", "/w/x", "/h/.ssh/id", "/etc/passwd"], {"/w/link": "/h/.ssh"})
SETS = """
set progs = words { rm, mytool, c* }
set secrets = paths { **/.env, ~/.ssh/** }
set good = hosts { good.example, *.good.example }
"""

UNIT_TARGETS = (
    *("Bash", "Bash(*)", "Bash(git *)", "Bash(git push *)", "Bash(git push)", "Bash(git push --force *)", "*"),
    *("Bash(git push -f *)", "Bash(git status *)", "Bash(rm *)", "Bash(rm -r *)", "Bash(rm -rf *)", "Bash(rm x)"),
    *("Bash(* x)", "Bash(* --force)", "Bash(mytool *)", "Bash(mytool -v *)", "Bash(cat *)", "Bash(cat .env)"),
    *("Bash(find *)", "Bash(find * -delete)", "Bash(r* x)", "Bash(@progs *)", "Bash(sudo *)", "Bash(sudo rm *)"),
    *("Bash(timeout * git *)", "Bash(/usr/bin/rm *)", "Bash(git push:*)", "Bash(cp * x)", "Bash(echo *)", "Bash(sh *)"),
    *(
        'Bash(like "*rm*")',
        'Bash(like "git * --force*")',
        "Bash(make)",
        "Bash(curl *)",
        "Bash(mytool x*)",
        "Bash(cd *)",
    ),
    *("Read", "Read(.env)", "Read(./**)", "Read(/etc/**)", "Write(**/*.py)", "Write", "Search(src/**)", "WebFetch"),
    *("WebFetch(evil.example)", "WebFetch(*.good.example)", "WebFetch(@good)", "mcp__x__*", "mcp__x__y", "run_shell"),
    *("mcp__x__y(hello)", "Ask(hello*)", "Ask(hello)", "Ask"),
)
CAP_TARGETS = (
    *("fs.read", "fs.read(@secrets)", "fs.read(**/.env)", "fs.read(./**)", "fs.read(~/.ssh/**)", "fs.read(x)"),
    *("fs.write", "fs.write(/etc/**)", "fs.write(./**)", "fs.write(*.py)", "fs.delete(**)", "fs.delete(./src/**)"),
    *("net.connect(*)", "net.connect(@good)", "net.connect(evil.example)", "net.connect(good.example:8080)", "exec(*)"),
    *("exec(rm)", "exec(@progs)", "exec(cat)", "exec(git)", "exec(find)", "exec(timeout)", "fs.write(./s*/a.?y)"),
)
CONDITIONS = (
    *('request.labels.env == "prod"', 'not (request.labels.env == "prod")', 'command.program == "rm"'),
    *('"--force" in command.options', 'command.words has "x"', 'input.file_path == "x"', 'input.query like "h*"'),
    *('access.path in @secrets', 'not (access.path in @secrets)', 'access.host in @good', 'request.user != "root"'),
    *('command.text like "*x*"', "request.agent.interactive", "count(command.operands) > 1", "session.calls > 3"),
)  # fmt: skip
EFFECTS = ("deny", "ask", "guard", "allow")


class RuleText(NamedTuple):
    """A rule as it will be written, without a label: that is its place."""

    effect: str
    targets: tuple[str, ...]
    excepts: tuple[str, ...] = ()
    clauses: str = ""
    shadow: bool = False
    approvable: bool = False

    def text(self, label: str) -> str:
        excepts = f" except {', '.join(self.excepts)}" if self.excepts else ""
        approvable = " approvable" if self.approvable and self.effect == "guard" else ""
        shadow = "shadow " if self.shadow else ""
        return f"{shadow}{self.effect} {label}: {', '.join(self.targets)}{excepts}{self.clauses}{approvable}\n"


class PolicyText(NamedTuple):
    """A policy file of one tier: rules in order, and the other statements."""

    tier: str
    rules: tuple[RuleText, ...]
    others: tuple[str, ...] = ()

    def source(self, name: str) -> PolicySource:
        rules = "".join([rule.text(f"r{at}") for at, rule in enumerate(self.rules)])
        text = f"policy {name} for {self.tier}\nuse world.vocabulary\n{SETS}{rules}" + "\n".join(self.others) + "\n"
        return PolicySource(Source(f"{name}.remit", text))


Policies = tuple[PolicyText, ...]


@cache
def _memory() -> Memory:
    return Memory()


def sources(policies: Policies) -> list[PolicySource]:
    """The files, the vocabulary first. Names tell files of one tier apart, whatever their order."""
    named = [policy.source(f"world.p{at}") for at, policy in enumerate(policies)]
    return [PolicySource(Source("world.vocabulary.remit", VOCABULARY)), *named]


def compiled(policies: Policies | Sequence[PolicySource]) -> Program:
    """The program of the policies. What a strategy draws is always right, so that anything else is a failure."""
    given = [item if isinstance(item, PolicySource) else None for item in policies]
    files = [item for item in given if item is not None] or sources(tuple(policies))  # type: ignore[arg-type]
    done = compile_report(files, _memory())
    assert done.program is not None, [item for item in done.diagnostics if item.severity == "error"]
    return done.program


def engine_of(policies: Policies) -> Engine:
    """An engine that sees the files of the vocabulary and no others."""
    return Engine(compiled(policies), files=FILES)


# --- policies ------------------------------------------------------------------------------------------------

ALL_TARGETS = (*UNIT_TARGETS, *CAP_TARGETS)


def _about(*names: str) -> tuple[str, ...]:
    return tuple([target for target in ALL_TARGETS if any(name in target for name in names)])


# What a world is about, so that its rules and its call have to do with each other: targets, programs, tools.
ALWAYS = ("Bash", "Bash(*)", "*")
THEMES = {
    "git": ((*ALWAYS, *_about("git", "--force", "net")), ("git push", "git", "git status", "git -C src push", "echo")),
    "rm": (
        (*ALWAYS, *_about("rm", " x", "progs", "delete")),
        ("rm", "rm -r", "mytool rm", "/usr/bin/rm", "./rm", "cd"),
    ),
    "files": ((*ALWAYS, *_about("cat", "cp", "fs.", "find")), ("cat", "cp", "find", "mytool", "rm", "")),
    "hosts": ((*ALWAYS, *_about("curl", "net", "progs", "example", "fs.write")), ("curl", "mytool", "git push")),
    "wrapping": (
        (*ALWAYS, *_about("sudo", "timeout", "sh", "exec", "rm")),
        ("sudo rm", "timeout 5", "sh", "xargs rm", "rm"),
    ),
    "tools": (
        ("*", "Bash", *_about("Read", "Write", "Search", "Web", "mcp", "Ask", "fs.", "net", "run_")),
        ("cat", "curl"),
    ),
}
_targets = st.sampled_from(ALL_TARGETS)
_modes = st.sampled_from(("plan", "bypass", "auto", "accept_edits"))
_clauses = st.one_of(
    st.just(""),
    st.just(""),
    st.just(""),
    _modes.map(lambda mode: f" in mode {mode}"),
    st.just(" for agent a1"),
    st.sampled_from((" until 2030-01-01", " until 2020-01-01")),
    st.sampled_from(CONDITIONS).map(lambda when: f" when {when}"),
)


def rules(effects: Sequence[str] = EFFECTS, about: Sequence[str] = ALL_TARGETS) -> st.SearchStrategy[RuleText]:
    """Rules of these effects on these targets."""
    targets = st.sampled_from(tuple(about))
    several = st.lists(targets, min_size=1, max_size=2, unique=True).map(tuple)
    excepts = st.just(()) | st.just(()) | st.tuples(targets)
    shadow = st.sampled_from((False, False, False, False, True))
    return st.builds(RuleText, st.sampled_from(tuple(effects)), several, excepts, _clauses, shadow, st.booleans())


DECISIONS = ("deny", "ask", "allow")
_global_defaults = st.sampled_from(DECISIONS).map(lambda effect: f"default {effect}")


def _defaults(about: Sequence[str]) -> st.SearchStrategy[str]:
    targets = st.sampled_from(tuple(about))
    return st.builds(lambda effect, target: f"default {effect} {target}", st.sampled_from(DECISIONS), targets)


_bounds = st.sampled_from(
    ("forbid mode bypass", "lower tiers may deny, ask", "lower tiers may nothing", "on unparseable deny")
)


_rare_bounds = st.sampled_from(("", "", "", "")) | _bounds


@st.composite
def policies(draw: st.DrawFn, about: Sequence[str] = ALL_TARGETS) -> Policies:
    """One to three files, of any tiers."""
    tiers = draw(st.lists(st.sampled_from(TIERS), min_size=1, max_size=3))
    found = []
    for tier in tiers:
        few = tuple(draw(st.lists(rules(EFFECTS, about), min_size=1, max_size=5)))
        others = [
            draw(st.lists(kind, max_size=most))
            for kind, most in ((_global_defaults, 1), (_defaults(about), 2), (_rare_bounds, 1))
        ]
        found.append(PolicyText(tier, few, tuple([text for row in others for text in row])))
    return tuple(found)


# --- commands ------------------------------------------------------------------------------------------------

PROGRAMS = (
    *(
        "git push",
        "rm",
        "cat",
        "mytool",
        "git",
        "rm -r",
        "rm",
        "mytool",
        "git status",
        "cp",
        "find",
        "curl",
        "echo",
        "cd",
    ),
    *("make", "/usr/bin/rm", "./rm"),
)
OPTIONS = ("-f", "--force", "--forc", "-r", "-rf", "-fr", "-n", "-v", "--", "-delete", "-C", "-o", "-t", "-c", "-name")
OPERANDS = (
    *("push", "status", "x", ".env", "src/a.py", "../h/.ssh/id", "/etc/passwd", "link/id", "~/.ssh/id", "rm", "."),
    *("good.example", "https://evil.example/p", "api.good.example", "origin", "hello"),
)
UNKNOWNS = (
    "$X",
    '"$X"',
    "$(echo x)",
    "*",
    "*.py",
    "$X/.env",
    '"$X/id"',
    "src/$Y",
    "--o=$X",
    "{x,.env}",
    "-$X",
    "~root/x",
)
WRAPPERS = ("sudo", "sudo -u root", "timeout 5", "xargs", "timeout -s KILL 5", "sudo timeout 1", "xargs -n 1", "mytool")
REDIRECTIONS = (
    "> x",
    ">> src/a.py",
    "< .env",
    "2>&1",
    "> /dev/null",
    "> $X",
    "> ~/.ssh/id",
    "<<< rm",
    "&> /etc/passwd",
)
PREFIXES = ("LANG=C ", "LD_PRELOAD=./x ", "A=1 ", "A=$X ")
JOINTS = (" && ", " ; ", " | ", " || ", "\n", " & ")
FRAMES = (
    *("({})", "{{ {}; }}", "echo $({})", 'echo "`{}`"', "if make; then {}; fi", "for f in x; do {}; done", "! {}"),
    *("sh <<'END'\n{}\nEND", "f() {{ {}; }}; f", "find . -exec {} \\;", "cat <({})", "cd src && {}", "X=x; {}"),
)
HOSTILE = (
    "",
    " ",
    "'",
    "$(",
    "rm \x00",
    "echo \u202e",
    "))",
    "<<",
    "if",
    "eval rm x",
    "$X",
    "$X x",
    "rm x\\\n y",
    "\\rm x",
)


_sometimes = st.sampled_from((False, False, False, True))
_rarely = st.sampled_from((False,) * 11 + (True,))


def words(unknown: bool) -> st.SearchStrategy[str]:
    """Words behind a program, as shell source."""
    known = st.sampled_from(OPTIONS) | st.sampled_from(OPERANDS)
    return known | st.sampled_from(UNKNOWNS) if unknown else known


@st.composite
def simple_commands(draw: st.DrawFn, unknown: bool = True, programs: Sequence[str] = PROGRAMS) -> str:
    """One simple command: prefix, wrapper, program, words, redirection."""
    parts = [draw(st.sampled_from(("",) * 8 + PREFIXES)).strip(), draw(st.sampled_from(("",) * 8 + WRAPPERS))]
    parts.append(draw(st.sampled_from(tuple(programs))))
    parts += draw(st.lists(words(unknown), max_size=3))
    parts.append(draw(st.sampled_from(("",) * 9 + REDIRECTIONS)))
    return " ".join([part for part in parts if part])


@st.composite
def commands(draw: st.DrawFn, unknown: bool = True, programs: Sequence[str] = PROGRAMS) -> str:
    """Shell text of one to three commands, now and then hostile."""
    if unknown and draw(_rarely):
        return draw(st.sampled_from(HOSTILE))
    text = draw(simple_commands(unknown, programs))
    for _ in range(draw(st.sampled_from((0, 0, 0, 1, 2)))):
        text += draw(st.sampled_from(JOINTS)) + draw(simple_commands(unknown, programs))
    if draw(_sometimes):
        text = draw(st.sampled_from(FRAMES)).format(text)
    if draw(_rarely):
        text = f"sh -c {shlex.quote(text)}"
    return text


# --- requests ------------------------------------------------------------------------------------------------

_PATHS = ("x", ".env", "/w/src/a.py", "/etc/passwd", "~/.ssh/id", "link/id", "../h/.ssh/id", "~other/x", "a\0b", "")
_URLS = (
    "https://good.example/a",
    "http://good.example:8080",
    "https://x.good.example",
    "evil.example",
    "http://a@b@c",
    "",
)
_wrong: st.SearchStrategy[Any] = st.sampled_from((None, 7, True, ["x"], {"a": "b"}, []))
_tool_calls: st.SearchStrategy[tuple[str, dict[str, Any]]] = st.one_of(
    st.builds(
        lambda tool, path: (tool, {("path" if tool == "Search" else "file_path"): path}),
        st.sampled_from(("Read", "Write", "Search")),
        st.sampled_from(_PATHS) | _wrong,
    ),
    st.builds(lambda url: ("WebFetch", {"url": url}), st.sampled_from(_URLS) | _wrong),
    st.builds(lambda text: ("Ask", {"query": text}), st.sampled_from(("hello", "hello world", "", "x")) | _wrong),
    st.builds(lambda tool, text: (tool, {"q": text}), st.sampled_from(("mcp__x__y", "Unheard", "Note", "")), _wrong),
    st.builds(lambda tool: (tool, {}), st.sampled_from(("Bash", "Read", "Write", "Search", "WebFetch", "Ask"))),
    st.builds(lambda text: ("Bash", {"command": text}), _wrong),
)


@st.composite
def _shell_calls(draw: st.DrawFn, programs: Sequence[str] = PROGRAMS) -> tuple[str, dict[str, Any]]:
    text = draw(commands(True, programs))
    if draw(_rarely):
        return "run_shell", {"cmd": text}
    where = draw(st.sampled_from(("src", "$X", "/", ""))) if draw(_rarely) else None
    return "Bash", {"command": text} if where is None else {"command": text, "cwd": where}


_CLASSIFIERS = ("", "", "allow", "deny", "ask", "ALLOW")


@st.composite
def requests(draw: st.DrawFn, theme: str = "") -> Request:
    """A call with everything around it."""
    shell = _shell_calls(THEMES[theme][1] if theme else PROGRAMS)
    tool, given = draw(_tool_calls if theme == "tools" else shell if theme else shell | _tool_calls)
    request = Request(
        tool, given, CWD, (CWD,), HOME,
        mode=draw(st.sampled_from(MODES)),
        agent=draw(st.sampled_from(("", "a1", "a2"))),
        agent_kind=draw(st.sampled_from(("main", "main", "main", "subagent", "silent"))),
        interactive=draw(st.sampled_from((True, True, True, False))),
        user=draw(st.sampled_from(("", "root", "ann"))),
        labels=draw(st.sampled_from(({}, {"env": "prod"}, {"env": "dev"}))),
        time="2026-12-01T10:00",
        classifier=draw(st.sampled_from(_CLASSIFIERS)),
    )  # fmt: skip
    return request._replace(session=draw(sessions(request)))


@st.composite
def sessions(draw: st.DrawFn, request: Request) -> Session:
    """What earlier calls left behind: approvals of this call or another, denials up to and beyond the limits."""
    approved: frozenset[str] = draw(
        st.sampled_from(
            (frozenset(), frozenset(), frozenset(), frozenset({"sha256:0"}), frozenset({fingerprint(request)}))
        )
    )
    row, total = draw(st.sampled_from(((0, 0), (0, 0), (2, 19), (3, 3), (0, 20))))
    return Session("s", draw(st.sampled_from((0, 5))), total, row, 0, approved)


class World(NamedTuple):
    """Policies and a call that have to do with each other."""

    policies: Policies
    request: Request
    about: tuple[str, ...]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """A theme, policies about it, and a call about it."""
    theme = draw(st.sampled_from(tuple(THEMES)))
    about = THEMES[theme][0]
    return World(draw(policies(about)), draw(requests(theme)), about)
