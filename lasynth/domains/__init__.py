"""The registry of domains. To add a domain, add its folder and a line here."""

from __future__ import annotations

from importlib import import_module

from lasynth.domains.base import AnyDomain

DOMAINS = {
    "c": "lasynth.domains.restricted_c.domain:RestrictedC",
    "karel": "lasynth.domains.karel.domain:Karel",
    "lists": "lasynth.domains.lists.domain:Lists",
}
"""Name on the command line -> class. Imported on first use, because compiled code takes time to load."""

_made: dict[str, AnyDomain] = {}


def get_domain(name: str) -> AnyDomain:
    """The domain with this name; there is one object per domain. KeyError for an unknown name."""
    if name not in _made:
        module, _, attribute = DOMAINS[name].partition(":")
        _made[name] = getattr(import_module(module), attribute)()
    return _made[name]
