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

_made: dict[str, AnyDomain] = {}


def get_domain(name: str) -> AnyDomain:
    """The domain with this name; there is one object per domain. InputError for an unknown name."""
    if not isinstance(name, str) or name not in DOMAINS:
        raise InputError(f"there is no language `{name!s:.100}`; known languages: {', '.join(DOMAINS)}")
    if name not in _made:
        module, _, attribute = DOMAINS[name].partition(":")
        _made[name] = getattr(import_module(module), attribute)()
    return _made[name]
