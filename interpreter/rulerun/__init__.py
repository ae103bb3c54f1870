"""rulerun: board and card games as data, checked and played.

The public face. The names in `__all__` are loaded from their modules when first asked for, so that
`import rulerun` (and with it `rulerun --version`) stays fast.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

# Public name -> the module that defines it.
_HOMES: dict[str, str] = {}

__all__ = ["__version__"]


def __getattr__(name: str) -> object:
    """Load a public name from its module on first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
