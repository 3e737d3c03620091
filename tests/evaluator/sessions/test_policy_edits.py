"""Rules into and out of policy files: the rest of the file stays, comments included."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.sessions.policy_edits import edited
from remit.sessions.updates import Update, UpdateError

FILE = """\
policy mine for user

# what I allow
allow Bash(make *), Bash(npm run *)  # both

# what nobody may
deny named: Bash(rm *)
  because "no"
"""


def test_a_new_file_gets_a_header() -> None:
    text = edited("", Update("addRules", ("allow   Bash(make *)",)), "user")
    assert text.startswith("policy accepted.user for user ")
    assert text.endswith("\nallow Bash(make *)\n")
    assert edited(text, Update("addRules", ("allow Bash(make *)",)), "user") == text


def test_the_rest_of_the_file_stays() -> None:
    text = edited(FILE, Update("addRules", ("ask Bash(git push *)",)), "user")
    assert text.startswith(FILE)
    assert edited(text, Update("removeRules", ("ask  Bash(git push *)",)), "user").rstrip() == FILE.rstrip()


def test_a_rule_is_found_however_it_is_written() -> None:
    text = edited(FILE, Update("removeRules", ('deny named: Bash(rm *) because "no"',)), "user")
    assert "Bash(rm *)" not in text
    assert "# what nobody may" in text
    assert "Bash(make *)" in text


def test_rules_of_one_effect_are_replaced() -> None:
    text = edited(FILE, Update("replaceRules", ("allow Bash(ls)",), effect="allow"), "user")
    assert "make" not in text
    assert "allow Bash(ls)" in text
    assert "deny named" in text


@pytest.mark.parametrize(
    ("text", "update"),
    [
        (FILE, Update("removeRules", ("allow Bash(other)",))),
        (FILE, Update("addRules", ("nonsense",))),
        (FILE, Update("addRules", ("allow Bash(a)\nforbid mode bypass",))),
        (FILE, Update("setMode", mode="plan")),
        (FILE, Update("addDirectories", directories=("/x",))),
        (FILE, Update("replaceRules", ("deny Bash(a)",), effect="allow")),
        ("policy mine for user\ndeny\n", Update("addRules", ("allow Bash(a)",))),
    ],
)
def test_what_cannot_be_carried_out(text: str, update: Update) -> None:
    with pytest.raises(UpdateError):
        edited(text, update, "user")


@given(
    st.lists(
        st.sampled_from(["allow Bash(a *)", "deny Bash(b)", "ask fs.read(./x)", "guard fs.write(**/.y)"]), unique=True
    )
)
def test_what_was_added_can_be_taken_back(rules: list[str]) -> None:
    before = edited(FILE, Update("addRules", ()), "user")
    added = edited(before, Update("addRules", tuple(rules)), "user")
    assert edited(added, Update("removeRules", tuple(rules)), "user").split() == before.split()
