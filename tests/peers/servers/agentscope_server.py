"""AgentScope's own engine behind standard input and output: a context and calls on each line, its decisions on the next.

Runs in an environment of its own, which has agentscope and nothing of this project. The working folder is the agents'.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from agentscope.permission import PermissionContext, PermissionEngine
from agentscope.tool import Bash, Edit, Glob, Grep, Read, Write

TOOLS = {kind.__name__: kind() for kind in (Bash, Edit, Glob, Grep, Read, Write)}


async def decide(question: dict[str, Any]) -> list[str]:
    engine = PermissionEngine(PermissionContext.model_validate(question["context"]))
    decisions = []
    for tool, given in question["calls"]:
        decision = await engine.check_permission(TOOLS[tool], given)
        decisions.append(decision.behavior.value)
    return decisions


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(asyncio.run(decide(json.loads(line)))), flush=True)


main()
