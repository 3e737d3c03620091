"""Codex's rules and settings as a policy: `.rules` files, whose calls look like Python's, or config.toml.

What they mean is taken from developers.openai.com/codex/rules and …/config-reference. Of the rules that match a command the strictest
counts, there as here. Nothing of a file is run: it is taken apart, and one that does more than call with plain values is refused. Calls are
counted from 1.
"""

from __future__ import annotations

import tomllib

from remit.importers.blocks import assemble
from remit.importers.codex_calls import read_calls
from remit.importers.codex_config import config_blocks
from remit.importers.codex_rules import call_block
from remit.importers.conversion import Conversion, ConversionError
from remit.importers.strict_json import MAX_CHARACTERS

HEADER = """\
policy imported.codex "Permissions from Codex"

# Labels count the rules from 1.
use std
"""


def convert_codex(text: str, *, with_defaults: bool = False) -> Conversion:
    """The policy for rules or settings. Raises ConversionError where `text` is neither.

    with_defaults: commands that only read run, as there.
    """
    if len(text) > MAX_CHARACTERS:
        raise ConversionError(f"the text has {len(text)} characters; the limit is {MAX_CHARACTERS}")
    text = text.removeprefix("\ufeff")
    header = HEADER + ("use std.reading\n" if with_defaults else "")
    calls = read_calls(text)
    if isinstance(calls, list):
        return assemble(header, [call_block(call, index) for index, call in enumerate(calls, 1)])
    try:
        config = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConversionError(f"{calls}; nor TOML: {error}") from None
    return assemble(header, config_blocks(config))
