"""One call of a Codex `.rules` file, as a policy says it.

There, a pattern is the first words of a command, each a text or a list of those that it may be. A command is compared word by word, by the
name that it is called with; wrappers and variables in front make it another command. An allow here holds for the same and no more.
"""

from __future__ import annotations

import shlex
from itertools import product
from typing import Any

from remit.importers.blocks import Block, lost
from remit.importers.claude_reading import Effect
from remit.importers.codex_calls import Call
from remit.importers.conditions_on_text import like_any
from remit.importers.conversion import ConversionError, Note
from remit.importers.writing import escape_glob, like_target, rule, target
from remit_dsl.escapes import encode_string
from remit_dsl.patterns import PatternError, parse_host_pattern

MAX_WAYS = 256
_EFFECTS: dict[str, Effect] = {"allow": "allow", "prompt": "ask", "forbidden": "deny", "deny": "deny"}
_PORTS = {"http": 80, "https": 443}
_SAME_COMMAND = "count(command.wrappers) == 0 and count(command.env) == 0"


def call_block(call: Call, index: int) -> Block:
    """The rules of the call. Raises ConversionError where Codex would not load it."""
    place = f"{call.function}[{index}]"
    if call.function == "prefix_rule":
        return _prefix(call, place, f"rule-{index}")
    if call.function == "network_rule":
        return _network(call, place, f"network-{index}")
    return lost(
        place, f"{place}: {call.arguments.get('name', '')}", "a program is known by its name", "all its paths are meant"
    )


def _prefix(call: Call, place: str, label: str) -> Block:
    effect = _effect(call, "allow")
    words = [_words(word, call) for word in _list(call)]
    total = 1
    for each in words:
        total *= len(each)
    original = f"{place}: {' '.join('|'.join(each) for each in words)}: {call.arguments.get('decision', 'allow')}"
    if total > MAX_WAYS:
        return _too_many(effect, words, Block(original), place, label)
    ways = list(product(*words))
    patterns = [target("Bash", " ".join([*map(_quoted, way), "*"])) for way in ways]
    texts = [" ".join(map(escape_glob, way)) for way in ways]
    globs = [glob for text in texts for glob in (text, f"{text} *")]
    if effect == "allow":
        when = f"({like_any('command.text', globs)}) and {_SAME_COMMAND}"
        return Block(original, (rule("allow", label, patterns, when),))
    targets = [*patterns, *(like_target("Bash", glob) for glob in globs)]
    return Block(original, (rule(effect, label, targets) + _because(call),))


def _too_many(effect: Effect, words: list[list[str]], block: Block, place: str, label: str) -> Block:
    why = f"it stands for more than {MAX_WAYS} commands"
    if effect == "allow":
        return block._replace(note=Note(place, why, "left out"))
    targets = [target("Bash", f"{_quoted(word)} *") for word in words[0][:MAX_WAYS]]
    if len(words[0]) > MAX_WAYS:
        targets = ["Bash"]
    return block._replace(statements=(rule(effect, label, targets),), note=Note(place, why, "holds for its programs"))


def _quoted(word: str) -> str:
    """A word of a pattern that is this word and no other."""
    return "\\" + word if word.startswith("@") and shlex.quote(word) == word else shlex.quote(word)


def _list(call: Call) -> list[Any]:
    pattern = call.arguments.get("pattern")
    if not isinstance(pattern, list) or not pattern:
        raise ConversionError(f"{call.line}: `pattern` is no list of words")
    return pattern


def _words(word: Any, call: Call) -> list[str]:
    words = [word] if isinstance(word, str) else word
    if not words or not all(isinstance(each, str) for each in words):
        raise ConversionError(f"{call.line}: a word of the pattern is neither a text nor a list of texts")
    return list(dict.fromkeys(words))


def _effect(call: Call, default: str) -> Effect:
    decision = call.arguments.get("decision", default)
    if not isinstance(decision, str) or decision not in _EFFECTS:
        raise ConversionError(f"{call.line}: `decision` is not one of {', '.join(_EFFECTS)}")
    return _EFFECTS[decision]


def _because(call: Call) -> str:
    reason = call.arguments.get("justification")
    return f"\n  because {encode_string(reason)}" if isinstance(reason, str) and reason else ""


def _network(call: Call, place: str, label: str) -> Block:
    effect, host, protocol = _effect(call, ""), call.arguments.get("host"), call.arguments.get("protocol", "")
    original = f"{place}: {protocol} {host}: {call.arguments.get('decision')}"
    if not isinstance(host, str) or isinstance(parse_host_pattern(host), PatternError):
        raise ConversionError(f"{call.line}: `host` is no host")
    if effect != "allow":
        return Block(original, (rule(effect, label, (target("net.connect", host),)) + _because(call),))
    if protocol not in _PORTS:
        return lost(place, original, "a policy does not name this protocol")
    return Block(original, (rule("allow", label, (target("net.connect", f"{host}:{_PORTS[protocol]}"),)),))
