"""Slotted dataclasses that cost little to define.

`@frozen` is `@dataclass(frozen=True, slots=True)`, and `@slotted` is `@dataclass(slots=True)`, for
classes that need no more than that: fields with or without a default, compared and shown or not, in
the order of definition. The standard decorator writes and compiles seven methods for each class,
half a millisecond a class; the language has some three hundred, and a command should begin at once.
Here the methods are shared closures, and one class costs a tenth; the constructor is compiled once
for all classes of as many fields, and renamed for each. A class of very many fields, of which there
are few values, has one that goes through them.

The result is a dataclass in every respect: `dataclasses.fields`, `replace` and `is_dataclass`,
pattern matching, equality, hashing and pickling work as ever.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from types import FunctionType
from typing import Any, TypeVar, dataclass_transform

_Class = TypeVar("_Class", bound=type)
_Value = TypeVar("_Value")


@dataclass_transform(frozen_default=True, eq_default=True)
def frozen(cls: _Class) -> _Class:
    """Return the class as a frozen, slotted dataclass."""
    methods = {
        "__setattr__": _refuse,
        "__delattr__": _refuse,
        "__getstate__": _getstate,
        "__setstate__": _setstate,
    }
    return _made(cls, _Params(frozen=True), methods)


@dataclass_transform(eq_default=True)
def slotted(cls: _Class) -> _Class:
    """Return the class as a slotted dataclass."""
    return _made(cls, _Params(frozen=False), {"__hash__": None})


def _made(cls: _Class, params: _Params, methods: dict[str, Any]) -> _Class:
    inherited: dict[str, dataclasses.Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited.update(getattr(base, "__dataclass_fields__", {}))
    own = {name: _field(cls, name, type_) for name, type_ in inspect.get_annotations(cls).items()}
    fields = {**inherited, **own}
    names = tuple(fields)
    namespace = {
        name: value
        for name, value in cls.__dict__.items()
        if name not in own and name not in ("__dict__", "__weakref__")
    }
    namespace.update(
        __slots__=tuple(name for name in own if name not in inherited),
        __match_args__=names,
        __dataclass_fields__=fields,
        __dataclass_params__=params,
        __repr__=_repr,
    )
    # A class may say for itself what it is equal to.
    if "__eq__" not in namespace:
        namespace.update(_comparing(tuple(name for name in names if fields[name].compare)))
    namespace.update(methods)
    namespace.setdefault("__replace__", dataclasses.replace)
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    type.__setattr__(made, "__init__", _init(made, fields))
    return made


class _Params:
    """What `dataclasses` notes of the arguments of its decorator."""

    init = repr = eq = match_args = slots = True
    order = unsafe_hash = kw_only = weakref_slot = False

    def __init__(self, frozen: bool) -> None:
        self.frozen = frozen


def _field(cls: type, name: str, type_: Any) -> dataclasses.Field[Any]:
    default = cls.__dict__.get(name, dataclasses.MISSING)
    made: dataclasses.Field[Any] = (
        default
        if isinstance(default, dataclasses.Field)
        else dataclasses.field(default=default)
        if default is not dataclasses.MISSING
        else dataclasses.field()
    )
    made.name, made.type = name, type_
    made._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
    if made.kw_only is dataclasses.MISSING:
        made.kw_only = False
    return made


def _init(cls: Any, fields: dict[str, dataclasses.Field[Any]]) -> Callable[..., None]:
    """What sets the slots: the function of that many values, with the names of these."""
    if len(fields) > _MANY:
        return _gathering(fields)
    made = _setting(len(fields))(*(getattr(cls, name).__set__ for name in fields))
    defaults = [_default(field) for field in fields.values()]
    given = tuple(each for each in defaults if each is not dataclasses.MISSING)
    named = made.__code__.replace(
        co_varnames=("self", *fields), co_qualname=f"{cls.__qualname__}.__init__"
    )
    plain = FunctionType(named, made.__globals__, "__init__", given, made.__closure__)
    factories = [
        (name, field.default_factory)
        for name, field in fields.items()
        if field.default_factory is not dataclasses.MISSING
    ]
    if not factories:
        return plain

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        plain(self, *values, **named)
        for name, make in factories:
            if getattr(self, name) is _LATER:
                object.__setattr__(self, name, make())

    return __init__


def _gathering(fields: dict[str, dataclasses.Field[Any]]) -> Callable[..., None]:
    """What sets many slots, one after another. The signature says nothing of them."""
    defaults = {
        name: field.default
        for name, field in fields.items()
        if field.default is not dataclasses.MISSING
    }

    def __init__(self: Any, **named: Any) -> None:
        given = {**defaults, **named}
        if given.keys() != fields.keys():
            odd = ", ".join(sorted(given.keys() ^ fields.keys()))
            raise TypeError(f"{type(self).__name__}: missing, or not known: {odd}")
        for name, value in given.items():
            object.__setattr__(self, name, value)

    return __init__


_MANY = 100
"""A class of more fields is made by their names, and has no fields that are made anew."""

_LATER = object()
"""Stands for the default of a field that makes a new one for each value."""


def _default(field: dataclasses.Field[Any]) -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else _LATER


@cache
def _setting(count: int) -> Callable[..., Any]:
    """A maker of functions that hand so many values to so many setters, without a loop."""
    setters = ", ".join(f"set{at}" for at in range(count))
    values = "".join(f", value{at}" for at in range(count))
    body = "".join(f"        set{at}(self, value{at})\n" for at in range(count)) or "        pass\n"
    text = f"def maker({setters}):\n    def init(self{values}):\n{body}    return init\n"
    found: dict[str, Any] = {}
    exec(text, found)
    return found["maker"]  # type: ignore[no-any-return]


def field_names(value: object) -> tuple[str, ...]:
    """The names of the fields of a frozen value, without what `dataclasses.fields` makes anew."""
    names: tuple[str, ...] = type(value).__match_args__  # type: ignore[attr-defined]
    return names


def replaced(value: _Value, /, **changes: object) -> _Value:
    """A frozen value with other values in some of its fields: `dataclasses.replace`, in a tenth."""
    kind: Any = type(value)
    names = kind.__match_args__
    if not changes.keys() <= set(names):
        raise TypeError(f"{kind.__name__} has no {', '.join(changes.keys() - set(names))}")
    made: _Value = kind(
        *[changes[name] if name in changes else getattr(value, name) for name in names]
    )
    return made


def _refuse(self: object, name: str, value: object = None) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")


def _comparing(names: tuple[str, ...]) -> dict[str, Callable[..., Any]]:
    """Equality and hash by the fields of these names."""
    values = attrgetter(*names) if names else type

    def __eq__(self: Any, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__}


def _repr(self: Any) -> str:
    shown = [name for name, field in self.__dataclass_fields__.items() if field.repr]
    inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{type(self).__qualname__}({inside})"


def _getstate(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, name) for name in self.__match_args__)


def _setstate(self: Any, state: tuple[Any, ...]) -> None:
    for name, value in zip(self.__match_args__, state, strict=True):
        object.__setattr__(self, name, value)
