"""Rules that would permit calls like one that was asked about: general enough to be of use, never dangerous.

A suggestion says what it would newly permit, and permits the part of the call that it is made for. None is made for what a rule, a guard
or a doubt asks about, for what was not understood, for programs that run whatever they are given, for credentials and for the system's
own files. A command that does nothing but touch things is suggested by what it touches, any other by its name.
"""

from __future__ import annotations

from remit.facts import YES, Access, Facts
from remit.match import Scene, access_truth
from remit.permit import access_grant, is_sum_of_accesses, would_name
from remit.sensitive import holds_credentials, is_system
from remit.spellings import runs_operands
from remit.verdict import UnitVerdict
from remit_dsl.breadth import permits_too_much, runs_anything, shell_tools
from remit_dsl.globs import ANY_DEPTH
from remit_dsl.plans import ANY_WORDS, shell_plan
from remit_dsl.program import Program, Target
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

OPEN_CODES = ("no_rule", "default")
_DOING = {"fs.read": "reading", "fs.write": "writing", "fs.delete": "deleting"}
# Characters that mean nothing in a pattern, letters and digits aside.
_PLAIN = frozenset("._-/+=@")


class Offer(NamedTuple):
    """A target of a suggested rule, and what it permits, in words."""

    target: Target
    permits: str


def suggest(program: Program, facts: Facts, answers: tuple[UnitVerdict, ...]) -> list[dict[str, str]]:
    """Suggestions, each `{"rule", "permits"}`, one for each unit of an asked call that nothing speaks of and a good rule is known for."""
    found: dict[str, str] = {}
    for unit, answer in zip(facts.units, answers, strict=True):
        if answer.decision == "ask" and answer.reason.code in OPEN_CODES and unit.sure:
            offers = _offers(Scene(program, facts, unit))
            if offers and not any(_is_broad(program, offer.target) for offer in offers):
                rule = "allow " + ", ".join([offer.target.text for offer in offers])
                found.setdefault(rule, "; ".join([offer.permits for offer in offers]))
    return [{"rule": rule, "permits": permits} for rule, permits in found.items()]


def _is_broad(program: Program, target: Target) -> bool:
    shells = program.cache.get("shell tools")
    if shells is None:
        shells = program.cache["shell tools"] = shell_tools(program.tables["tools"])
    return bool(permits_too_much(target, shells, {}))


def _offers(scene: Scene) -> list[Offer]:
    unit = scene.unit
    if unit.kind == "tool":
        return _for_tool(scene)
    analysis, name = unit.analysis, unit.program
    if name is None or unit.assignments or unit.argv[0] != name or not _is_plain(name) or runs_anything(name):
        return []
    if analysis is None or analysis.subcommands or not is_sum_of_accesses(unit):
        return _for_name(scene, name)
    return _for_accesses(scene)


def _is_plain(text: str) -> bool:
    return bool(text) and all(char.isalnum() or char in _PLAIN for char in text)


# --- by name -------------------------------------------------------------------------------------------------


def _for_name(scene: Scene, name: str) -> list[Offer]:
    """`Bash(npm run *)`, and what the redirections touch, if that would permit the unit."""
    program, unit = scene.program, scene.unit
    places = unit.analysis.subcommands if unit.analysis is not None else ()
    words = [name, *[str(unit.argv[place]) for place in places]]
    if not all(map(_is_plain, words)):
        return []
    key = ("suggestion", scene.facts.tool, *words) if unit.analysis is not None else None
    offer = program.cache.get(key) if key is not None else None  # as many as there are declared subcommands
    if offer is None:
        offer = _named_offer(program, scene.facts.tool, words)
        if key is not None:
            program.cache[key] = offer
    if offer is None or not would_name(scene, offer.target):
        return []
    aside = [access for access in unit.accesses if access.place == -1 and access.kind != "exec"]
    touched = _for_touching(scene, aside)
    return [offer, *touched] if touched is not None else []


def _named_offer(program: Program, tool: str, words: list[str]) -> Offer | None:
    """None where the words do not yet say what is run."""
    spec = program.spec(words[0])
    if spec is not None and (runs_operands(spec) or ("subs" in spec and len(words) == 1)):
        return None
    called = " ".join(words)
    plan = shell_plan(((*words, ANY_WORDS), True))
    target = Target("shell", tool, (plan,), f"{tool}({called} *)")
    if spec is None:
        return Offer(target, f"every call of {called}, whatever it does")
    return Offer(target, f"every call of {called}, with any options and operands but those that run other programs")


# --- by what it touches --------------------------------------------------------------------------------------


def _for_accesses(scene: Scene) -> list[Offer]:
    """`exec(cp), fs.read(./**), fs.write(./build/**)`: what nothing permits yet; nothing if there is no good rule for any of it."""
    spec = scene.program.spec(scene.unit.program or "")
    if spec is None or runs_operands(spec):
        return []
    return _for_touching(scene, scene.unit.accesses) or []


def _for_touching(scene: Scene, accesses: Iterable[Access]) -> list[Offer] | None:
    """An offer for each access that nothing permits; None if there is no good one for any of them."""
    found: dict[str, Offer] = {}
    for access in accesses:
        if access_grant(scene, access) is not None:
            continue
        offer = _for_access(scene, access)
        if offer is None or access_truth(scene.facts, offer.target.patterns, access, False) != YES:
            return None
        found.setdefault(offer.target.text, offer)
    return list(found.values())


def _for_access(scene: Scene, access: Access) -> Offer | None:
    if access.kind == "exec":
        name = access.program
        if access.place != -1 or type(name) is not str or not _is_plain(name) or runs_anything(name):
            return None
        permits = f"running {name}, wherever what it touches is permitted"
        return Offer(Target("cap", "exec", (name,), f"exec({name})"), permits)
    if access.host is not None:
        return _for_host(access.host.name or "")
    if access.path is None or not access.path.paths:
        return None
    place = _place(scene.facts, access)
    if place is None or not _is_plain(place[0].replace("*", "")):
        return None
    anchor, *parts = place[0].split("/")
    pattern = (anchor or "/", tuple([ANY_DEPTH if part == "**" else part for part in parts]))
    target = Target("cap", access.kind, (pattern,), f"{access.kind}({place[0]})")
    return Offer(target, f"{_DOING[access.kind]} {place[1]}")


def _for_host(name: str) -> Offer | None:
    from remit_dsl.patterns import parse_host_pattern  # the hook does without it, as long as no host is asked about

    if not _is_plain(name):
        return None
    pattern: Any = parse_host_pattern(name)
    return Offer(Target("cap", "net.connect", (pattern,), f"net.connect({name})"), f"connecting to {name}")


def _place(facts: Facts, access: Access) -> tuple[str, str] | None:
    """The pattern for a path, and what it stands for in words: of the workspace all for reading and a folder for changing; elsewhere this
    one file, and nothing to delete."""
    assert access.path is not None
    paths = access.path.paths
    if any(holds_credentials(path) for path in paths):
        return None
    for root in facts.roots.workspace:
        root = root.rstrip("/")
        if root and paths[0].startswith(root + "/"):
            return _inside(access, paths[0][len(root) + 1 :])
        if root and paths[0] == root and access.kind == "fs.read":
            return _inside(access, "")
    if access.tree or access.kind == "fs.delete" or any(_is_private(path, access.kind) for path in paths):
        return None
    return paths[0], paths[0]


def _inside(access: Access, rest: str) -> tuple[str, str] | None:
    if access.kind == "fs.read":
        return "./**", "every file of the workspace"
    folder = rest.partition("/")[0]
    if folder.startswith("."):  # settings of tools, which decide what runs later
        return None if access.tree else (f"./{rest}", f"./{rest}")
    if folder == rest and not access.tree:
        return f"./{rest}", f"./{rest}"
    return f"./{folder}/**", f"every file below ./{folder}"


def _is_private(path: str, kind: str) -> bool:
    """Whether a path outside of the workspace is nothing to permit by a suggestion: hidden, or of the system (`/etc` may be read)."""
    hidden = any(part.startswith(".") for part in path.split("/"))
    return hidden or (is_system(path) and not (kind == "fs.read" and path.startswith("/etc/")))


# --- tools ---------------------------------------------------------------------------------------------------


def _for_tool(scene: Scene) -> list[Offer]:
    facts = scene.facts
    if not facts.declared:
        return _for_mcp(facts.agent_tool)
    offers = _for_touching(scene, scene.unit.accesses) or []
    if any(offer.target.text.startswith("fs.write(./") for offer in offers):
        return _by_tool(scene, offers)
    return offers


def _by_tool(scene: Scene, offers: list[Offer]) -> list[Offer]:
    """`Edit(./src/**)`: of changes in the workspace by this tool only, if that permits the call."""
    tool = scene.facts.tool
    written = next(offer for offer in offers if offer.target.name == "fs.write")
    content = written.target.text.partition("(")[2]
    target = Target("path", tool, written.target.patterns, f"{tool}({content}")
    named = Offer(target, f"{tool} on {written.permits.partition(' ')[2]}")
    return [named] if would_name(scene, target) else offers


def _for_mcp(name: str) -> list[Offer]:
    if not name.startswith("mcp__") or not _is_plain(name):
        return []
    return [Offer(Target("any", name, (), name), f"every call of {name}, whatever it is given")]
