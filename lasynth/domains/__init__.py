"""The registry of domains. A new one is a folder and a line here."""

from __future__ import annotations

from importlib import import_module

from lasynth.domains.base import AnyDomain

DOMAINS = {
    "c": "lasynth.domains.restricted_c.domain:RestrictedC",
    "karel": "lasynth.domains.karel.domain:Karel",
    "lists": "lasynth.domains.lists.domain:Lists",
}
"""Name on the command line -> where the class is; imported on first use, because compiled code takes time to load."""

_made: dict[str, AnyDomain] = {}


def get_domain(name: str) -> AnyDomain:
    """The domain of that name, made once. KeyError for an unknown one."""
    if name not in _made:
        module, _, attribute = DOMAINS[name].partition(":")
        _made[name] = getattr(import_module(module), attribute)()
    return _made[name]
