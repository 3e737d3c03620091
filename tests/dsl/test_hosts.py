"""Host names in one form: spellings of one host agree, and what programs read differently is not told."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit_dsl.hosts import address_of, host_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Acme.EXAMPLE.", "acme.example"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("ＡＣＭＥ.example", "acme.example"),
        ("a。b", "a.b"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("１２７.0.0.1", "127.0.0.1"),
        ("[::FFFF:1.2.3.4]", "1.2.3.4"),
        ("2001:DB8::0:1", "2001:db8::1"),
        ("_dmarc.a-b.example", "_dmarc.a-b.example"),
        pytest.param("0177.0.0.1", None, id="octal to some, decimal to others"),
        pytest.param("256.0.0.1", None, id="no address"),
        pytest.param("1.2.3.4.5", None, id="too many numbers"),
        pytest.param("a.0x", None, id="a number that has no digits"),
        pytest.param("straße.example", None, id="two IDNA versions disagree"),
        pytest.param("e%76il.example", None, id="encoded"),
        pytest.param("a_b$c", None, id="no host character"),
        pytest.param("a..b", None, id="an empty label"),
        pytest.param("", None, id="empty"),
        pytest.param("é" * 300, None, id="too long"),
        pytest.param("fe80::1%eth0", None, id="a zone"),
    ],
)
def test_host_name(text: str, name: str | None) -> None:
    assert host_name(text) == name


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_is_its_number(address: ipaddress.IPv4Address) -> None:
    assert host_name(str(int(address))) == host_name(hex(int(address))) == str(address)
    assert address_of(str(address)) == (4, int(address))


@given(st.ip_addresses(v=6))
def test_an_ipv6_address_has_one_form(address: ipaddress.IPv6Address) -> None:
    name = host_name(address.exploded)
    assert name == host_name(str(address)) == host_name(name or "")
    assert name is not None
    assert address_of(name) is not None


@given(st.text(max_size=20))
def test_the_form_is_stable(text: str) -> None:
    name = host_name(text)
    if name is not None:
        assert host_name(name) == name
        assert name.isascii()
