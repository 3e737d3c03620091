"""L3: no doubt is permission. Whatever the unknowns of a call turn out to be, an allow stays an allow and a rule's deny a deny.

A denial for want of permission (a default, a mode that only reads) is no statement about the unknown piece: `$X` may well turn out to be
something that is allowed. So the second half is about denials by a rule; and as an exception to a rule that restricts holds only when
it certainly does, about rules without one.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from strategies import ALL_TARGETS, CWD, HOME, THEMES, Policies, PolicyText, RuleText, engine_of, policies

from remit.engine import Engine
from remit.request import Request
from remit.verdict import Verdict

# What the variables of a call may hold: an option, an operand, a path, a host, a program, several words, nothing.
FILLINGS = (
    *(
        "-f",
        "--force",
        "x",
        ".env",
        "push",
        "rm",
        "rm x",
        "",
        "a/b",
        "../h/.ssh",
        "/etc/passwd",
        "evil.example",
        "-rf x",
    ),
    *("-delete", "-C src", "git push --force", "src/a.py", "mytool rm", "--", "-c 'rm x'"),
)
HOLES = (
    "{0}",
    '"{0}"',
    "{0}/.env",
    '"{0}/id"',
    "src/{1}",
    "--output={0}",
    "-{0}",
    "x{0}",
    "{0}{1}",
    '"{1}"',
    "{0}x",
    "-f{0}",
)


@st.composite
def shapes(draw: st.DrawFn, theme: str) -> str:
    """A command in which `{0}` and `{1}` stand for what is not known."""
    programs = st.sampled_from(THEMES[theme][1])
    words = st.sampled_from(("x", "push", ".env", "-r", "--force", "rm", "src/a.py", "-name")) | st.sampled_from(HOLES)
    some = draw(st.lists(words, min_size=1, max_size=3))
    program = draw(programs | st.sampled_from(("{0}", "rm", "mytool", "timeout {0}", "sudo", "xargs")))
    text = " ".join([program, *some])
    text += draw(st.sampled_from(("", "", "", " > {0}", " < {1}", ' > "{0}/x"', " 2>&1")))
    return text + draw(st.sampled_from(("", "", " && git status", " | cat", "; {0}")))


def _quoted(text: str, values: tuple[str, str]) -> str:
    """The command with its holes filled as the shell would: unquoted values split, quoted ones are one word."""
    return text.format(*values)


def _decide(engine: Engine, text: str) -> Verdict:
    return engine.decide(Request("Bash", {"command": text}, CWD, (CWD,), HOME, time="2026-12-01T10:00"))


@given(st.data())
def test_no_filling_changes_what_was_certain(data: st.DataObject) -> None:
    """All combinations of fillings are tried on each call whose unknowns did not make it ask."""
    theme = data.draw(st.sampled_from(tuple(THEMES)))
    files: Policies = data.draw(policies(THEMES[theme][0]).map(_without_exceptions))
    shape = data.draw(shapes(theme))
    engine = engine_of(files)
    verdict = _decide(engine, _quoted(shape, ("$X", "$Y")))
    if verdict.decision == "ask" or (verdict.decision == "deny" and verdict.reason.code != "rule"):
        return
    seconds = FILLINGS if "{1}" in shape else ("",)
    for first in FILLINGS if "{0}" in shape else ("",):
        for second in seconds:
            filled = _decide(engine, _quoted(shape, (first, second)))
            broken = _is_broken(filled) or _has_undeclared_options(engine, _quoted(shape, (first, second)))
            assert broken or filled.decision == verdict.decision, (shape, first, second, filled)


def _without_exceptions(files: Policies) -> Policies:
    """The files with exceptions in allows only."""
    return tuple(
        [
            file._replace(rules=tuple([r if r.effect == "allow" else r._replace(excepts=()) for r in file.rules]))
            for file in files
        ]
    )


def _has_undeclared_options(engine: Engine, text: str) -> bool:
    """Whether a declared program is given an option that its declaration does not know. Then it is as good as unknown, and literal words
    behind it may start commands; that a variable might turn out to be such an option is not held against every `cp "$A" "$B"`."""
    facts = engine.observe(Request("Bash", {"command": text}, CWD, (CWD,), HOME, time="2026-12-01T10:00"))
    declared = [
        unit for unit in facts.units if unit.program is not None and engine.program.spec(unit.program) is not None
    ]
    return any(unit.analysis is not None and not unit.analysis.known for unit in declared)


def _is_broken(verdict: Verdict) -> bool:
    """Whether the filled text is no command at all any more."""
    return any(unit.reason.code == "unparseable" for unit in verdict.units)


@given(st.data())
def test_an_allow_never_rests_on_a_word_that_is_not_known(data: st.DataObject) -> None:
    """With one permission and one restriction from the whole vocabulary: what is allowed with `$X` is allowed for every X."""
    one = data.draw(st.sampled_from(ALL_TARGETS))
    other = data.draw(st.sampled_from(ALL_TARGETS))
    allow = data.draw(st.sampled_from(("Bash(*)", "Bash(mytool *)", "Bash(rm *)", "Bash(git *)", one)))
    text = data.draw(shapes("rm") | shapes("git") | shapes("files"))
    engine = engine_of((PolicyText("org", (RuleText("deny", (other,)), RuleText("allow", (allow,)))),))
    if _decide(engine, _quoted(text, ("$X", "$Y"))).decision != "allow":
        return
    for first in FILLINGS:
        filled = _decide(engine, _quoted(text, (first, "x")))
        broken = _is_broken(filled) or _has_undeclared_options(engine, _quoted(text, (first, "x")))
        assert broken or filled.decision == "allow", (text, first, filled)
