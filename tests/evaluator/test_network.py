"""Hosts of URLs and words, and host patterns on them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.facts import MAYBE, NO, YES, HostFact
from remit.network import host_of_url, host_of_word, match_host
from remit.shell.words import Hole, Partial, Word
from remit_dsl.patterns import HostPattern, parse_host_pattern, to_json

X = Hole("param", "$X", "X", False)


def pattern(text: str) -> HostPattern:
    found = parse_host_pattern(text)
    assert isinstance(found, HostPattern)
    return found


@pytest.mark.parametrize(
    ("url", "name", "port"),
    [
        ("https://acme.example/x?y#z", "acme.example", 443),
        ("http://Acme.Example.:8080", "acme.example", 8080),
        ("http://acme.example:/", "acme.example", 80),
        ("http://good.example@evil.example/", "evil.example", 80),
        ("http://good.example:80@evil.example", "evil.example", 80),
        ("http://evil.example?@good.example/", "evil.example", 80),
        ("http://evil.example#@good.example/", "evil.example", 80),
        ("git+ssh://git@acme.example/x", "acme.example", 22),
        ("//acme.example/x", "acme.example", None),
        ("acme.example/x", "acme.example", None),
        ("acme.example:8080/x", "acme.example", 8080),
        (" https://acme.example ", "acme.example", 443),
        ("http://2130706433/", "127.0.0.1", 80),
        ("http://0x7f.1:81", "127.0.0.1", 81),
        ("http://[::ffff:127.0.0.1]/", "127.0.0.1", 80),
        ("http://[::1]:3000/", "::1", 3000),
        ("https://bücher.example", "xn--bcher-kva.example", 443),
        ("http://api:3000/", "api", 3000),
    ],
)
def test_host_of_url(url: str, name: str, port: int | None) -> None:
    assert host_of_url(url) == HostFact(name, port, url)


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("http://good.example\\@evil.example", id="backslash"),
        pytest.param("http://a@b@c/", id="two users"),
        pytest.param("http:/evil.example", id="one slash"),
        pytest.param("http:evil.example", id="no slash"),
        pytest.param("http:///evil.example", id="three slashes"),
        pytest.param("http://ev%69l.example", id="encoded"),
        pytest.param("http://0177.0.0.1", id="octal"),
        pytest.param("http://evil\n.example", id="newline"),
        pytest.param("http://a b/", id="blank"),
        pytest.param("http://{a,b}.example", id="curl glob"),
        pytest.param("http://a.example:x/", id="no port"),
        pytest.param("http://a.example:99999/", id="no such port"),
        pytest.param("http://a.example:٣/", id="other digits"),
        pytest.param("http://[::1", id="open bracket"),
        pytest.param("http://::1/", id="address without brackets"),
        pytest.param("file:///etc/passwd", id="no host at all"),
        pytest.param("://x", id="no scheme"),
        pytest.param("", id="empty"),
    ],
)
def test_a_url_that_programs_read_differently_has_no_known_host(url: str) -> None:
    assert host_of_url(url).name is None


@pytest.mark.parametrize(
    ("word", "name", "port"),
    [
        ("https://acme.example/x", "acme.example", 443),
        ("git@acme.example:org/repo.git", "acme.example", None),
        ("acme.example:/srv/x", "acme.example", None),
        ("me@acme.example", "acme.example", None),
        ("acme.example:8080", "acme.example", 8080),
        ("localhost", "localhost", None),
        ("api:3000", "api", 3000),
        ("[::1]:80", "::1", 80),
        (Partial(("https://acme.example/", X), "s"), "acme.example", 443),
        (Partial(("git@acme.example:org/", X), "s"), "acme.example", None),
    ],
)
def test_host_of_word(word: Word, name: str, port: int | None) -> None:
    assert host_of_word(word)[:2] == (name, port)


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("origin", id="a git remote"),
        pytest.param("web:path", id="an ssh alias"),
        pytest.param("./x", id="a path"),
        pytest.param("/srv/repo.git", id="an absolute path"),
        pytest.param("-p", id="an option"),
        pytest.param("user:secret@evil.example", id="user and secret, or host and path"),
        pytest.param("http:/evil.example", id="no host"),
        pytest.param("ext::sh -c x", id="git remote helper"),
        pytest.param(Partial(("https://acme.example", X), "s"), id="the host goes on"),
        pytest.param(Partial(("git@acme.example:", X), "s"), id="an @ may follow"),
        pytest.param(Partial((X, ".acme.example"), "s"), id="a start that is not known"),
        pytest.param(Partial(("https://", X, "/acme.example/"), "s"), id="only the path is known"),
    ],
)
def test_a_word_whose_host_is_not_certain(word: Word) -> None:
    assert host_of_word(word).name is None


@pytest.mark.parametrize(
    ("text", "name", "wide", "narrow"),
    [
        ("acme.example", "acme.example", YES, YES),
        ("acme.example", "www.acme.example", NO, NO),
        ("acme.example", "acme.example.evil.example", NO, NO),
        ("*.acme.example", "a.b.acme.example", YES, YES),
        ("*.acme.example", "acme.example", NO, NO),
        ("*.acme.example", "evilacme.example", NO, NO),
        ("*.acme.example", "x.acme.example.evil.example", NO, NO),
        ("api-*.acme.example", "api-1.acme.example", YES, YES),
        ("api-*.acme.example", "api-1.x.acme.example", NO, NO),
        ("*", "anything.example", YES, YES),
        ("*", None, YES, YES),
        ("acme.example", None, MAYBE, MAYBE),
        ("10.0.0.0/8", "10.1.2.3", YES, YES),
        ("10.0.0.0/8", "11.0.0.0", NO, NO),
        ("10.0.0.0/8", "acme.example", NO, NO),
        ("0.0.0.0/0", "::1", YES, NO),
        ("10.0.0.1", "10.0.0.1", YES, YES),
        ("10.0.0.1", "10.0.0.10", NO, NO),
        ("fe80::/10", "fe80::1", YES, YES),
        ("*.0.0.example", "10.0.0.1", NO, NO),
        ("localhost", "127.0.0.1", YES, NO),
        ("127.0.0.0/8", "localhost", YES, NO),
        ("127.0.0.1", "x.localhost", YES, NO),
        ("localhost", "0.0.0.0", YES, NO),
        ("*.localhost", "x.localhost", YES, YES),
        ("169.254.169.254", "localhost", NO, NO),
    ],
)
def test_match_host(text: str, name: str | None, wide: int, narrow: int) -> None:
    fact = HostFact(name, None, "")
    assert (match_host(pattern(text), fact, True), match_host(pattern(text), fact, False)) == (wide, narrow)


@pytest.mark.parametrize(("port", "truth"), [(443, YES), (80, NO), (None, MAYBE)])
def test_ports(port: int | None, truth: int) -> None:
    assert match_host(pattern("acme.example:443"), HostFact("acme.example", port, ""), True) == truth
    assert match_host(pattern("*:443"), HostFact(None, port, ""), True) == truth


labels = st.text("abx-1", min_size=1, max_size=4)
names = st.lists(labels, min_size=1, max_size=4).map(".".join)


@given(names, names)
def test_a_sub_domain_pattern_never_matches_past_its_own_end(domain: str, name: str) -> None:
    found = parse_host_pattern(f"*.{domain}.example")
    if isinstance(found, HostPattern):
        assert match_host(found, HostFact(f"{name}.{domain}.example", None, ""), False) == YES
        assert match_host(found, HostFact(f"{domain}.example.{name}.test", None, ""), True) == NO


@given(st.text(max_size=40))
def test_any_text_has_a_host_or_none(text: str) -> None:
    for fact in (host_of_url(text), host_of_word(text)):
        assert fact.source == text
        for row in ("*.acme.example", "10.0.0.0/8", "::1", "localhost"):
            wide, narrow = match_host(to_json(pattern(row)), fact, True), match_host(pattern(row), fact, False)
            assert narrow <= wide
