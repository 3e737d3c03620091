"""What becomes of a verdict at each agent, and what its hook never sees. Facts that were measured: see docs/integrations.md."""

from __future__ import annotations

from remit_dsl.records import NamedTuple

RUNS, ASKS, REFUSED, ITS_OWN_FLOW = "runs", "a person is asked", "refused", "goes on by the agent's own rules"


class Capability(NamedTuple):
    """allow, ask, deny: what a rule's word becomes. crash, late: what becomes of a call whose hook fails (behind the launcher that `remit
    install` writes), or is late. never_seen: tools (common names) that the agent has and whose calls come by no hook. server: how much of
    the name of an MCP server a payload tells: "all", "first" (up to the first dash or underscore) or "none". gaps: what else passes by."""

    agent: str
    allow: str
    ask: str
    deny: str
    crash: str
    late: str
    never_seen: tuple[str, ...] = ()
    server: str = "all"
    gaps: tuple[str, ...] = ()


CAPABILITIES = {
    row.agent: row
    for row in (
        Capability("claude-code", RUNS, ASKS, REFUSED, REFUSED, REFUSED),
        Capability(
            "codex", ITS_OWN_FLOW, REFUSED, REFUSED, REFUSED, RUNS, ("WebSearch",),
            gaps=("what is typed into a terminal that runs already (write_stdin) is not seen: deny interactive shells",),
        ),
        Capability(
            "gemini", RUNS, ASKS, REFUSED, REFUSED, RUNS,
            gaps=("a project's settings can switch a user's hooks off (hooksConfig)",),
        ),
        Capability(
            "copilot", RUNS, ASKS, REFUSED, REFUSED, RUNS, server="first",
            gaps=("an allow overrides the user's own --deny-tool",),
        ),
        Capability("cursor", RUNS, REFUSED, REFUSED, REFUSED, RUNS, server="none"),
        Capability("opencode", ITS_OWN_FLOW, REFUSED, REFUSED, REFUSED, REFUSED, server="first"),
    )
}  # fmt: skip
