"""What install and uninstall make of settings files: nothing else is lost, a second time changes nothing, back is back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.installing.agents import TARGETS, Place
from remit.installing.hook_command import agent_of, hook_command, hook_words, words_of
from remit.installing.settings_json import SettingsError

PLACES = [
    pytest.param(target.agent, place, id=f"{target.agent} {place.path}")
    for target in TARGETS.values()
    for place in (target.user, target.managed)
    if place is not None
]
EDITED = [case for case in PLACES if str(case.values[1].path).endswith(("settings.json", "hooks.json"))]  # type: ignore[union-attr]
FOREIGN = {
    "model": "x",
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "other"}]}],
        "BeforeTool": [{"matcher": ".*", "hooks": [{"type": "command", "command": "other"}]}],
        "beforeShellExecution": [{"command": "other"}],
        "Stop": [{"hooks": []}],
    },
    "permissions": {"deny": ["Read(./.env)"]},
}


@pytest.mark.parametrize(("agent", "place"), PLACES)
def test_a_second_time_changes_nothing(agent: str, place: Place) -> None:
    once = place.install("", agent, ["--policy", "/p q"])
    assert place.install(once, agent, ["--policy", "/p q"]) == once
    assert json.dumps("/p q")[1:-1] in once.replace("\\'", "'")


@pytest.mark.parametrize(("agent", "place"), PLACES)
def test_other_options_take_the_place_of_the_former_ones(agent: str, place: Place) -> None:
    once = place.install("", agent, ["--policy", "/old"])
    again = place.install(once, agent, ["--policy", "/new"])
    assert "/old" not in again
    assert again == place.install("", agent, ["--policy", "/new"])


@pytest.mark.parametrize(("agent", "place"), PLACES)
def test_without_the_hook_nothing_is_left(agent: str, place: Place) -> None:
    assert place.remove(place.install("", agent, []), agent) == ""


@pytest.mark.parametrize(("agent", "place"), EDITED)
def test_what_others_wrote_stays_in_order(agent: str, place: Place) -> None:
    before = json.dumps(FOREIGN, indent=4)
    after = json.loads(place.install(before, agent, []))
    for key in FOREIGN:
        assert key in after
    assert after["permissions"] == FOREIGN["permissions"]
    for event, hooks in FOREIGN["hooks"].items():  # type: ignore[attr-defined]
        assert after["hooks"][event][: len(hooks)] == hooks
    back = place.remove(place.install(before, agent, []), agent)
    restored = json.loads(back)
    restored.pop("version", None)
    assert restored == FOREIGN
    assert '\n    "model"' in back


@pytest.mark.parametrize(("agent", "place"), EDITED)
@pytest.mark.parametrize(
    "text",
    ["[]", "{", '{"hooks": []}', '{"a": 1, "a": 2}', "// note\n{}", '{"hooks": {"PreToolUse": {}, "BeforeTool": {}, "preToolUse": {}}}',
     "[" * 100_000],
)  # fmt: skip
def test_what_cannot_be_changed_safely_is_refused(agent: str, place: Place, text: str) -> None:
    with pytest.raises(SettingsError):
        place.install(text, agent, [])


def test_requirements_of_somebody_else_are_left_alone() -> None:
    place = TARGETS["codex"].managed
    assert place is not None
    with pytest.raises(SettingsError, match="by hand"):
        place.install("[features]\nhooks = true\n", "codex", [])
    with pytest.raises(SettingsError, match="by hand"):
        place.remove("[features]\nhooks = true\n", "codex")


@given(
    st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])).filter(bool)),
    st.sampled_from(list(TARGETS)),
)
def test_the_command_keeps_every_word(options: list[str], agent: str) -> None:
    command = hook_command(agent, options)
    assert agent_of(command) == agent
    if ") && {" not in command.partition(") && {")[2] and ") && {" not in " ".join(options):
        assert words_of(command) == hook_words(agent, options)


@pytest.mark.parametrize("command", [None, 7, "", "other", "remit", "/x/launch.py hook codex", "echo remit hook codex"])
def test_commands_of_others(command: Any) -> None:
    assert agent_of(command) == ""
