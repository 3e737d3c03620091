"""Shell texts for property tests: made by a grammar, so that most of them are valid, and then damaged a little.

Programs are called m0 to m3; nothing else that is run has an effect beyond the folder it runs in. A text is drawn by its
seed: a grammar of strategies would shrink better, and take a hundred times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from hypothesis import strategies as st

PROGRAMS = ("m0", "m1", "m2", "m3")

_WORDS = (  # noqa: SIM905 - a list of these would hide what they are
    'a -f --o=v x.py a#b in do if } = \'a_b\' \'$(m0)\' \'`m1`\' "it\'s" "\\$(m0)" "a;m0" \\; \\$ a\\\nb $x ${x} $1 "$@" $'
    " ~ a=~ * ? [ab] [ ] {a,b} {1..3} {m0,m1} ${x%%'}'} ${#x} ${x[0]} $((1+2)) $[1] $'a\\'b' $'\\x6d0' {} 2 m0 m1 m2"
).split(" ")
_PLAIN_WORDS = "a -f --o=v x.py 'a_b' \"a;m0\" ./d/e in 'it'\"'\"'s' ~ m0 m1 2 if".split(" ")  # noqa: SIM905
_REDIRECTIONS = (
    "2>&1 >/dev/null &>/dev/null <<<a </dev/null >&2 2>/dev/null 3<&- <&- {fd}</dev/null 2>|/dev/null".split()  # noqa: SIM905
)
_BLANKS = (" ", " ", " ", "  ", "\t", " \\\n")
_ENDS = ("; ", ";", "\n", " & ", " # note\n", "\n\n")
_JOINTS = (" && ", "||", " | ", "|", "; ", "\n", " & ", "&&\n", " |& ")
_PREFIXES = ("", "", "", "", "A=1 ", "A=$(m3) ", "a[1]=2 ", "a=(x $(m0)) ", "x='a b' ")
_DAMAGE = (  # noqa: SIM905
    "( ) { } ; & | \n \" ' ` $( ${ )) (( \\ \\\n # < <<E\n !"
    " $ = [ ] [[ ]] ;; then fi do done esac $' * <( >( &> $(( m0 m1 \t ~ {a,b} @P - >&-"
).split(" ")

# `%` stands for a command, `;` followed by a space for one of the ways to end one.
_FORMS = (
    "( % )",
    "{ %; }",
    "if %; then %; else %; fi",
    "while m0; do %; done",
    "for x in a b; do %; done",
    "case a in b) % ;; *) %\nesac",
    "f() { %; }\nf",
    "[[ a == $(%) ]] && %",
    "[[ a =~ (x|$(%)) ]] || %",
    "(( $(%) )) || %",
    "! %",
    "time %",
    "m0 <<E | m1\n$(%) `m3` \\$(m0) ${x:-$(m2)}\nE\n",
    "m0 <<'E'\n$(m9)\nE\n%",
    "m0 <<-E; m1\n\tx\\\n$(%)\n\tE\n",
    "$((%);(%))",
    "coproc %",
)
_HOLES = ("$(%)", '"$(%)"', '"x\'$(%)"', "`m1`", "<(%)", "${x:-$(%)}", '"${x:-$(%)}"', "$(( $(%) ))", "$[ $(%) ]")


def script(random: Random) -> str:
    """A script of a few commands, valid more often than not."""
    text = _command(random, random.randrange(1, 4))
    for _ in range(random.choice((0, 0, 0, 1, 2))):
        text = _damaged(random, text)
    return text


def plain_script(random: Random) -> str:
    """Plain words, quotes and redirections, joined."""
    words = (*_PLAIN_WORDS, *_REDIRECTIONS[:7])
    text = ""
    for _ in range(random.randrange(1, 4)):
        text += " ".join(random.choice(words) for _ in range(random.randrange(1, 5))) + random.choice(_JOINTS)
    return text if random.random() < 0.2 else text.rstrip(" |&;\n")


def _damaged(random: Random, text: str) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(_DAMAGE) + text[at + random.randrange(3) :]


def _command(random: Random, depth: int) -> str:
    if depth == 0 or random.random() < 0.4:
        return _simple(random, depth)
    if random.random() < 0.3:
        return _command(random, depth - 1) + random.choice(_JOINTS) + _command(random, depth - 1)
    return _filled(random, random.choice(_FORMS), depth)


def _filled(random: Random, form: str, depth: int) -> str:
    pieces = []
    for char in form:
        pieces.append(_command(random, depth - 1) if char == "%" and depth else "m2" if char == "%" else char)
    return "".join(pieces).replace("; }", random.choice(_ENDS) + "}")


def _simple(random: Random, depth: int) -> str:
    words = [random.choice(PROGRAMS)]
    for _ in range(random.randrange(4)):
        kind = random.random()
        if kind < 0.2:
            words.append(random.choice(_REDIRECTIONS))
        elif kind < 0.5 and depth:
            words.append(_filled(random, random.choice(_HOLES), depth))
        else:
            words.append(random.choice(_WORDS))
    return random.choice(_PREFIXES) + random.choice(_BLANKS).join(words)


def _drawn(make: Callable[[Random], str]) -> st.SearchStrategy[str]:
    return st.integers(0, 2**40).map(lambda seed: make(Random(seed)))


scripts = _drawn(script)
plain_scripts = _drawn(plain_script)
noise = _drawn(
    lambda random: "".join(
        random.choice("ab0 \t\n;&|<>()$`\\\"'{}[]*?~#!=,.-:@/é\x00\u202e\xa0") for _ in range(random.randrange(60))
    )
)
