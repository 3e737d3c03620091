"""The list of modules in docs/architecture.md is made of their docstrings: `pytest --update-golden tests/docs` writes it anew."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "architecture.md"
PACKAGES = ("dsl/remit_dsl", "evaluator/remit")
_LIST = re.compile(r"(?<=<!-- modules: begin -->\n).*(?=<!-- modules: end -->)", re.DOTALL)


def _folders() -> Iterator[Path]:
    """Every folder that holds modules, outer before inner."""
    for package in PACKAGES:
        yield from sorted({path.parent for path in (ROOT / package).rglob("*.py")})


def _sentence(path: Path) -> str:
    """The first sentence of a module's docstring, without its full stop."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring, f"{path} does not say what it is"
    paragraph = " ".join(docstring.split("\n\n")[0].split())
    return re.split(r"\.(?= |$)", paragraph, maxsplit=1)[0]


def _listed() -> str:
    lines: list[str] = []
    for folder in _folders():
        lines += [f"\n### {folder.relative_to(ROOT)}\n", f"{_sentence(folder / '__init__.py')}.\n"]
        modules = [path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]
        lines += [f"* `{path.stem}`: {_sentence(path)}" for path in modules]
    return "\n".join(lines).lstrip("\n") + "\n"


def test_every_module_is_listed_with_what_it_says_of_itself(request: pytest.FixtureRequest) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    if request.config.getoption("--update-golden"):
        DOCUMENT.write_text(_LIST.sub(lambda _: _listed(), text), encoding="utf-8")
        return
    (found,) = _LIST.findall(text)
    assert found == _listed()


def test_every_place_that_is_named_exists() -> None:
    """Paths in the rest of the document, and what its links lead to."""
    text = _LIST.sub("", DOCUMENT.read_text(encoding="utf-8"))
    paths = re.findall(r"`((?:dsl|evaluator|tests|policies|docs|bench)/[\w./-]+)`", text)
    links = [f"docs/{target}" for target in re.findall(r"\]\(([\w./-]+\.md)", text)]
    assert len(paths) > 10
    assert [path for path in (*paths, *links) if not (ROOT / path).exists()] == []
