"""L4: wrapping, quoting, separating, redirecting, continuing lines, env-prefixing or sub-shelling a denied command never yields allow."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import CWD, FILES, HOME

from remit.engine import Engine
from remit.request import Request

DENIED = (
    "rm -rf x",
    "rm x",
    "git push --force origin main",
    "git push -f",
    "cat .env",
    "rm --recursive --force x",
    "curl evil.example",
)
DENIES = ("Bash(rm *)", "Bash(git push --force *)", "fs.read(**/.env)", "net.connect(evil.example)")
# As generous as a policy can be beside its denials. With the standard library: what a wrapper is, only a declaration can say.
ENGINE = Engine.from_source(
    f"""policy wrapping.everything for org
use std
deny denied: {", ".join(DENIES)}
allow everything: *, Bash(*), fs.read, fs.write, fs.delete, net.connect, exec
default allow
""",
    files=FILES,
)


def _with_quotes(text: str) -> str:
    return " ".join([f'"{word}"' for word in text.split()])


def _with_empty_quotes(text: str) -> str:
    return " ".join([f"{word[0]}''{word[1:]}" for word in text.split()])


def _with_backslashes(text: str) -> str:
    return " ".join([f"\\{word}" for word in text.split()])


def _with_ansi_quotes(text: str) -> str:
    return " ".join([f"$'{''.join([f'{chr(92)}x{ord(char):02x}' for char in word])}'" for word in text.split()])


def _continued(text: str) -> str:
    return text.replace(" ", " \\\n ")


def _split_word(text: str) -> str:
    return text[0] + "\\\n" + text[1:]


def _by_path(text: str) -> str:
    return f"/usr/bin/{text}"


def _by_variable(text: str) -> str:
    program, _, rest = text.partition(" ")
    return f"P={program}; $P {rest}"


def _encoded(text: str) -> str:
    return f"eval {shlex.quote(text)}"


REWRITTEN = (
    *(_with_quotes, _with_empty_quotes, _with_backslashes, _with_ansi_quotes, _continued, _split_word, _by_path),
    *(_by_variable, _encoded),
)
AROUND = (
    *(
        "( {} )",
        "{{ {}; }}",
        "$({})",
        "`{}`",
        "echo $({})",
        'echo "$({})"',
        "true && {}",
        "make; {}",
        "make | {}",
        "{} | make",
    ),
    *(
        "make || {}",
        "{} &",
        "\n\n{}\n",
        "{} # note",
        "if {}; then make; fi",
        "while {}; do :; done",
        "for i in a b; do {}; done",
    ),
    *(
        "case x in *) {};; esac",
        "f() {{ {}; }}; f",
        "! {}",
        "time {}",
        "{} > /dev/null",
        "{} 2>&1",
        "> out {}",
        "{} < /dev/null",
    ),
    *(
        "LANG=C {}",
        "A=1 B=2 {}",
        "LD_PRELOAD=./x {}",
        "sudo {}",
        "sudo -u root {}",
        "timeout 5 {}",
        "timeout -s KILL 5 {}",
    ),
    *(
        "sudo timeout 5 {}",
        "xargs {}",
        "xargs -n 1 {}",
        "find . -exec {} \\;",
        "find . -exec {} +",
        "cd src && {}",
        "cat <({})",
    ),
    *(
        "sh <<'E'\n{}\nE",
        "cat <<E\n$({})\nE",
        "sh <<< '{}'",
        "coproc {}",
        "[[ a == b ]] || {}",
        "echo x >(  {} )",
        "(( 1 )) && {}",
        "alias a='{}'\na b",
    ),
    *(
        "mytool {}",
        "mytool --run {}",
        "mytool -- {}",
        "./x.sh {}",
        "env {}",
        "command {}",
        "exec {}",
        "builtin {}",
        "nohup {}",
    ),
    *("select x in a; do {}; done", "until {}; do :; done", "echo ${{X:-$({})}}", "trap '{}' EXIT", "alias a='{}'; a"),
    *("$X {}", '"$X" {}', "{} $X", '{} "$X"', "{} *", "mytool $X {}", "X=$({}) make", "export A=$({})", "a=($({}))"),
)


def _decision(text: str, mode: str) -> str:
    return ENGINE.decide(Request("Bash", {"command": text}, CWD, (CWD,), HOME, mode=mode)).decision


@pytest.mark.parametrize("mode", ["default", "bypass", "accept_edits"])
@pytest.mark.parametrize("command", DENIED)
def test_the_bare_command_is_denied(command: str, mode: str) -> None:
    assert _decision(command, mode) == "deny"


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("command", DENIED)
def test_nothing_around_it_allows_it(command: str, around: str) -> None:
    assert _decision(around.format(command), "bypass") != "allow"


@pytest.mark.parametrize("rewrite", REWRITTEN)
@pytest.mark.parametrize("command", DENIED)
def test_no_spelling_allows_it(command: str, rewrite: object) -> None:
    assert callable(rewrite)
    assert _decision(rewrite(command), "bypass") != "allow"


@given(
    st.sampled_from(DENIED),
    st.sampled_from(REWRITTEN),
    st.lists(st.sampled_from([layer for layer in AROUND if "'{}'" not in layer]), min_size=1, max_size=3),
    st.sampled_from(("default", "bypass", "auto")),
    st.booleans(),
)
def test_several_disguises_at_once(command: str, rewrite: object, around: list[str], mode: str, in_shell: bool) -> None:
    """A spelling, up to three layers around it, and the whole as the text of `sh -c`."""
    assert callable(rewrite)
    text = rewrite(command)
    for layer in around:
        text = layer.format(text)
    assert _decision(f"sh -c {shlex.quote(text)}" if in_shell else text, mode) != "allow"
