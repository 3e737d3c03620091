"""Where rules cannot hold on an agent: what `remit check --agent` warns of. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from remit.agents.capabilities import ITS_OWN_FLOW, REFUSED, Capability
from remit_dsl.diagnostics import Diagnostic
from remit_dsl.lints.subject import Site, Subject


def limits(can: Capability, subject: Subject) -> Iterator[Diagnostic]:
    """A warning for each rule that becomes something else on the agent, in the order of the policies."""
    for site in subject.sites:
        effect = site.rule.effect
        if site.rule.shadow:
            continue
        if effect in ("ask", "guard") and can.ask == REFUSED:
            text = f"`{site.rule.id}` refuses on {can.agent}: its hook cannot ask"
            yield _warning(site, -1, "A801", text, "the reason tells how a person may allow it")
        elif effect == "allow" and can.allow == ITS_OWN_FLOW:
            text = f"`{site.rule.id}` grants nothing on {can.agent}: the call goes on by its own rules"
            yield _warning(site, -1, "A802", text, f"allow it in {can.agent}'s own settings as well")
        yield from _targets(can, site)


def _targets(can: Capability, site: Site) -> Iterator[Diagnostic]:
    for place, target in enumerate(site.rule.targets):
        name = target.name if isinstance(target.name, str) else ""
        if name in can.never_seen:
            text = f"calls of {name} come by no hook of {can.agent}"
            yield _warning(site, place, "A803", text, f"switch it off in {can.agent}'s own settings")
        elif _server(target.text) and can.server != "all":
            yield from _named_server(can, site, place, _server(target.text))


def _server(text: str) -> str:
    """The server that a target such as `mcp__github__*` names, "" for none in particular."""
    parts = text.partition("(")[0].split("__")
    return parts[1] if len(parts) > 2 and parts[0] == "mcp" and "*" not in parts[1] else ""


def _named_server(can: Capability, site: Site, place: int, server: str) -> Iterator[Diagnostic]:
    if can.server == "none":
        text = f"{can.agent} does not say which MCP server a tool belongs to"
        yield _warning(site, place, "A804", text, "name the tool alone: `mcp__*__TOOL`")
    elif "-" in server or "_" in server:
        text = f"{can.agent} joins server and tool by a sign that `{server}` has itself: the rule matches nothing there"
        yield _warning(site, place, "A804", text, "give the server a name without dashes and underscores")


def _warning(site: Site, place: int, code: str, text: str, help_text: str) -> Diagnostic:
    span = site.head() if place < 0 else site.target_span(place)
    return Diagnostic(code, text, help_text, site.file.source.name, span.start, span.end, "warning")
