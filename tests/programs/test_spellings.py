"""Which spellings the standard library takes for one option, and what that costs where it is wrong: `docker ps -n` is no `--tail`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from knowledge import STD, definitions

from remit_dsl.programs import is_one_option
from remit_dsl.tree import OptionClause, ProgramClause, SubcommandClause

SYNONYMS = Path(__file__).with_name("synonyms.txt")


def known() -> set[str]:
    lines = SYNONYMS.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def joined(name: str, clauses: tuple[ProgramClause, ...]) -> Iterator[str]:
    """The clauses that make more than a letter and a word one option."""
    for clause in clauses:
        if isinstance(clause, OptionClause) and is_one_option(clause) and len(clause.spellings) > 2:
            yield f"{name}: {' '.join([spelling.text for spelling in clause.spellings])}"
        elif isinstance(clause, SubcommandClause):
            yield from joined(f"{name} {clause.names[0].text}", clause.body)


def test_no_clause_joins_options_that_nobody_looked_up() -> None:
    """A letter and a word are one option. Of more than two spellings, somebody has read in the manual that they are one."""
    found: set[str] = set()
    for path in sorted(STD.glob("programs-*.remit")):
        for definition in definitions(path.read_text(encoding="utf-8").partition("\n")[2]):
            found |= set(joined(definition.names[0].text, definition.body))
    assert found == known()
