"""The registry of domains. To add a domain, add its folder and a line here."""

from __future__ import annotations

from importlib import import_module

from lasynth.domains.base import AnyDomain
from lasynth.task import InputError

DOMAINS = {
    "c": "lasynth.domains.restricted_c.domain:RestrictedC",
    "karel": "lasynth.domains.karel.domain:Karel",
    "lists": "lasynth.domains.lists.domain:Lists",
}
"""Name on the command line -> class. Imported on first use, because compiled code takes time to load."""

RECOGNISED = {"karel": "lasynth.domains.karel.recognition:looks_like_worlds"}
"""Languages whose examples can be told from those of others -> function of the text. Their modules import little."""
SUSPECTED = {"karel": "lasynth.domains.karel.recognition:may_be_worlds"}
"""The same for texts that no language can read: whose message helps."""

_made: dict[str, AnyDomain] = {}


def get_domain(name: str) -> AnyDomain:
    """The domain with this name; there is one object per domain. InputError for an unknown name."""
    if not isinstance(name, str) or name not in DOMAINS:
        raise InputError(f"there is no language `{name!s:.100}`; known languages: {', '.join(DOMAINS)}")
    if name not in _made:
        module, _, attribute = DOMAINS[name].partition(":")
        _made[name] = getattr(import_module(module), attribute)()
    return _made[name]


def recognised(text: str) -> str | None:
    """The language that a text with examples is certainly for; None if it has the form that languages share."""
    return _first(RECOGNISED, text)


def suspected(text: str) -> str | None:
    """The language that a text is probably for if no language can read it; None if nothing tells."""
    return _first(SUSPECTED, text)


def _first(tests: dict[str, str], text: str) -> str | None:
    for name, place in tests.items():
        module, _, function = place.partition(":")
        if getattr(import_module(module), function)(text):
            return name
    return None
