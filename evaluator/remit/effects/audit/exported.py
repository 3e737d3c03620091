"""Exported records, read again: JSON lines as `row_json` makes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from remit.effects.audit.canonical import canonical
from remit.effects.audit.chain import Row
from remit.effects.audit.record import columns_of


def rows_of(lines: Iterable[str], name: str) -> Iterator[Row]:
    """The records of the lines, unchecked. Raises ValueError with the line that holds none."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            yield _row(value)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"{name}:{number}: no exported record ({type(error).__name__})") from error


def _row(value: Any) -> Row:
    fields = value["body"]
    sequence = value["sequence"]
    if not isinstance(fields, dict) or type(sequence) is not int:
        raise TypeError("no record")
    return Row(sequence, str(value["previous"]), str(value["hash"]), canonical(fields), *columns_of(fields))
