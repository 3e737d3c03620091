"""How declarations are read, each rule on the smallest declaration that shows it."""

from __future__ import annotations

import pytest
from knowledge import compile_text, render, words

from remit.facts import Analysis
from remit.knowledge import analyse

PROGRAMS = """
program plain    { flag -a, --all  flag -b, --both  option -f, --file read  optional -i, --in-place value
                     operands read }
program lenient  { other options harmless  flag --force  option --format value  operands[0] value  operands[1..] read }
program uniform  { readonly other options harmless  operands read }
program wrapper  { option -u value  operands[0] value  operands[1..] command }
program front    { style operands-last  flag -a  operands[0] value  operands[1..] read }
program dashes   { style single-dash  flag -name  option -out write  optional -D value }
program bundles  { style first-bundle  flag -x  option -f read  option -b value  operands write }
program pairs    { style assignments  option of= write  option bs= value }
program nobundle { style no-bundles  flag -a, -b  option -o write }
program exact    { style no-abbreviations  flag --force }
program pluses   { style plus  flag +x  optional "+" acts  operands read }
program literal  { style no-options  operands read }
program tree     { global option -C enter  option -v value  subcommand up { flag -f  operands read }
                     subcommand down { option -C value  operands write } }
program both     { operands value  subcommand in { operands read } }
program pattern  { option -c run  option -c value matching "ok.*"  option -c shell rest matching "do=*"
                     operands connect  operands read matching "./*" }
program nested   { readonly  flag -d, -r  operands read here  with -r { operands read tree here }
                     with -d { operands delete here  with -r { operands delete tree here } } }
program inner    { flag -w, -q  operands value  with -q { option -o, --out read } option -o, --out write
                     with -w { with -q { operands write } } }
program ends     { option -c value last  operands read }
program pairing  { option -p read pair  operands write }
program lit      { operands value  operands acts literal matching "*$*" }
program image    { operands[0] value  operands[1..] command elsewhere perhaps }
program loops    { option -e command dynamic until ";", "{} +"  option -I placeholder  operands read }
program text     { option -t shell  operands[0] run  operands[1..] value  input shell }
program joined   { operands[0] connect  operands[1..] shell elsewhere }
program setting  { operands value assigns }
program ends-at  { operands[-1] write  operands[..-1] read }
"""
SPECS = compile_text(PROGRAMS)


def analysed(text: str) -> Analysis:
    argv = words(text)
    return analyse(SPECS[str(argv[0])], argv)


def shown(text: str) -> list[str]:
    return render(analysed(text), words(text)).split("\n")


TABLE = [
    ("plain -ab x", ["known", "option -a", "option -b", "operands x", "read x"]),
    ("plain x -a", ["known", "option -a", "operands x", "read x"]),
    ("plain -- -a", ["known", "operands -a", "read -a"]),
    ("plain -", ["known", "operands -"]),
    ("plain -fx", ["known", "option -f = x", "read x"]),
    ("plain -af x", ["known", "option -a", "option -f = x", "read x"]),
    ("plain --file=x", ["known", "option -f = x", "read x"]),
    ("plain --file=", ["known", "option -f =", "read"]),
    ("plain --fil x", ["known", "option -f = x", "read x"]),
    ("plain -f", ["known", "option -f"]),
    ("plain -f -", ["known", "option -f = -"]),
    ("plain -i x", ["known", "option -i", "operands x", "read x"]),
    ("plain -ix", ["known", "option -i = x"]),
    ("plain --in-place=x", ["known", "option -i = x"]),
    ("plain -z x", ["unknown", "option -z", "operands x", "doubtful x", "read? x"]),
    ("plain --zed=1 x", ["unknown", "option --zed = 1", "operands x", "read x"]),
    ("plain -5 x", ["unknown", "option -5", "operands x", "read x"]),
    ("lenient -5 a x", ["known", "option -5", "operands a x", "read x"]),
    ("lenient --zed a x", ["known", "option --zed", "operands a x", "doubtful a", "read? x"]),
    ("uniform --zed x", ["known readonly", "option --zed", "operands x", "read x"]),
    ("lenient --forc a x", ["known", "option --force", "operands a x", "read x"]),
    ("lenient --form a x y", ["known", "option --format = a", "operands a x y", "doubtful a", "read? x", "read y"]),
    ("wrapper 5 rm -u x", ["known", "operands 5 rm -u x", "command: rm -u x"]),
    ("wrapper -u a 5 -u b rm", ["known", "option -u = a", "option -u = b", "operands 5 rm", "command: rm"]),
    ("front x -a y", ["known", "operands x -a y", "read -a", "read y"]),
    ("dashes -name -out f", ["known", "option -name", "option -out = f", "write f"]),
    ("dashes -out=f --out g", ["known", "option -out = f", "option -out = g", "write f", "write g"]),
    ("dashes -Dx=y", ["known", "option -D = x=y"]),
    ("dashes -nam", ["unknown", "option -nam"]),
    ("bundles xf a b", ["known", "option -x", "option -f = a", "operands b", "read a", "write b"]),
    ("bundles fbx a 9 b", ["known", "option -f = a", "option -b = 9", "option -x", "operands b", "read a", "write b"]),
    ("bundles -xf a", ["known", "option -x", "option -f = a", "read a"]),
    ("bundles xq a", ["unknown", "option -x", "option -q", "operands a", "doubtful a", "write? a"]),
    ("pairs of=x bs=1", ["known", "option of= = x", "option bs= = 1", "write x"]),
    ("pairs zz=x", ["unknown", "option zz= = x"]),
    ("nobundle -ab", ["unknown", "option -ab"]),
    ("nobundle -ox -a", ["known", "option -o = x", "option -a", "write x"]),
    ("exact --forc", ["unknown", "option --forc"]),
    ("pluses +x f", ["known", "option +x", "operands f", "read f"]),
    ("pluses +y", ["known acts", "option + = y"]),
    ("literal -a -- b", ["known", "operands -a -- b", "read -a", "read --", "read b"]),
    ("tree -C d up -f x", ["known", "subcommand up", "option -C = d", "option -f", "operands x", "enter d", "read x"]),
    ("tree up -C d", ["known", "subcommand up", "option -C = d", "enter d"]),
    ("tree down -C d", ["known", "subcommand down", "option -C = d"]),
    ("tree up -v d", ["unknown", "subcommand up", "option -v", "operands d", "doubtful d", "read? d"]),
    ("tree sideways", ["unknown", "operands sideways"]),
    ("tree --zed up x", ["unknown", "subcommand up", "option --zed", "operands x", "read x"]),
    ("both out in", ["known", "operands out in"]),
    ("both in x", ["known", "subcommand in", "operands x", "read x"]),
    ("pattern -c x", ["known", "option -c = x", "run x", "teeth -c"]),
    ("pattern -c ok.x", ["known", "option -c = ok.x"]),
    ("pattern -c do=rm", ["known", "option -c = do=rm", "shell: rm", "teeth -c do=rm"]),
    ("pattern h ./f", ["known", "operands h ./f", "connect h", "read ./f"]),
    ("nested", ["known readonly", "read ."]),
    ("nested -r", ["known readonly", "option -r", "read . tree"]),
    ("nested -d x", ["known readonly", "option -d", "operands x", "delete x", "teeth -d"]),
    ("nested -rd x", ["known readonly", "option -r", "option -d", "operands x", "delete x tree", "teeth -rd"]),
    ("inner -o f", ["known", "option -o = f", "write f"]),
    ("inner -q -o f", ["known", "option -q", "option -o = f", "read f"]),
    ("inner -w f", ["known", "option -w", "operands f"]),
    ("inner -wq f", ["known", "option -w", "option -q", "operands f", "write f"]),
    ("ends -c x -c y", ["known", "option -c = x", "operands -c y", "read -c", "read y"]),
    ("pairing -p a b c", ["known", "option -p = b", "operands c", "read b", "write c"]),
    ("lit a$b", ["known acts", "operands 'a$b'"]),
    ("lit -- <X>", ["known", "operands '<X>'"]),
    ("image a rm x", ["known", "operands a rm x", "command?: rm x [elsewhere]"]),
    ("loops -e rm x ';' y", ["known", "option -e = rm", "operands y", "read y", "command: rm x [dynamic]", "teeth -e"]),
    (
        "loops -e a + {} + y",
        ["known", "option -e = a", "operands y", "read y", "command: a + '{}' [dynamic]", "teeth -e"],
    ),
    ("loops -e rm x", ["known", "option -e = rm", "command: rm x [dynamic]", "teeth -e"]),
    ("text", ["known", "input shell:"]),
    ("text a b", ["known", "operands a b", "run a"]),
    ("text /dev/stdin", ["known", "operands /dev/stdin", "run /dev/stdin", "input shell:"]),
    ("text -t x", ["known", "option -t = x", "shell: x", "teeth -t"]),
    ("joined h rm -rf x", ["known", "operands h rm -rf x", "connect h", "shell: 'rm -rf x' [elsewhere]"]),
    ("joined -- h '<X>' y", ["known", "operands h '<X>' y", "connect h", "shell: '<X> y' [elsewhere]"]),
    ("setting A=1 B+=2 c D=3", ["known", "operands A=1 B+=2 c D=3", "assign A=1", "assign B+=2"]),
    ("ends-at a b c", ["known", "operands a b c", "read a", "read b", "write c"]),
    ("ends-at c", ["known", "operands c", "write c"]),
    ("ends-at x/<?> c", ["known", "operands 'x/<?>' c", "read x/<?>", "write c"]),
]


@pytest.mark.parametrize(("text", "lines"), TABLE, ids=[text for text, _ in TABLE])
def test_rule(text: str, lines: list[str]) -> None:
    found = [line.strip() for line in shown(text)]
    assert sorted(found) == sorted(lines)


@pytest.mark.parametrize(
    "text", ["plain <X>", "plain -<X>", "plain x<X*>", "tree <X>", "bundles <X>", "bundles x<X>", "pairs <X>"]
)
def test_a_word_that_may_be_an_option_is_not_known(text: str) -> None:
    assert not analysed(text).known


@pytest.mark.parametrize(
    "text",
    ["uniform <X>", "uniform <X*>", "plain -- <X>", "plain --file=<X>", "plain -f<X>", "literal <X>", "uniform <~>/x"],
)
def test_a_word_that_can_do_no_more_than_an_operand_is_known(text: str) -> None:
    assert analysed(text).known


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param(
            "ends-at -- a <X*>", {"read? a", "write? a", "read? <X*>", "write? <X*>"}, id="the last may be the first"
        ),
        pytest.param("ends-at -- <X*> a", {"read? <X*>", "write a"}, id="the last is the last"),
        pytest.param("wrapper -- <X*> rm", {"command?: '<X*>' rm", "command?: rm"}, id="a command begins at either"),
        pytest.param("wrapper -- 5 <X> rm", {"command: '<X>' rm"}, id="one word stands where it stands"),
        pytest.param("joined h <X*>", {"connect h", "shell?: '<X*>' [elsewhere]"}, id="a script of unknown words"),
    ],
)
def test_places_of_operands_around_unknown_words(text: str, lines: set[str]) -> None:
    found = {
        line
        for line in shown(text)
        if line.partition(" ")[0].rstrip(":?") in ("read", "write", "connect", "command", "shell")
    }
    assert lines <= found
    assert not {line.replace("? ", " ") for line in lines if "? " in line} & found


def test_a_placeholder_in_an_inner_command_is_a_hole() -> None:
    (inner,) = analysed("loops -I % -e sh -c 'rm % {}' ';'").inner
    assert [type(word).__name__ for word in inner.words] == ["str", "str", "Partial"]
    assert str(inner.words[2]) == "rm % {}"


def test_teeth_of_a_wildcard_program() -> None:
    assert analysed("uniform x").teeth == ()
    assert analysed("nested -d x").teeth == (1,)
