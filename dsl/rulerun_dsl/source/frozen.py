"""Frozen, slotted dataclasses that cost little to define.

`@frozen` is `@dataclass(frozen=True, slots=True)` for classes that need no more than that: fields
with or without a default, in the order of definition. The standard decorator writes and compiles
seven methods for each class, half a millisecond a class; the language has some three hundred, and a
command should begin at once. Here the methods are shared closures, and one class costs a tenth.

The result is a dataclass in every respect: `dataclasses.fields`, `replace` and `is_dataclass`,
pattern matching, equality, hashing and pickling work as ever.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, dataclass_transform

_Class = TypeVar("_Class", bound=type)


@dataclass_transform(frozen_default=True, eq_default=True)
def frozen(cls: _Class) -> _Class:
    """Return the class as a frozen, slotted dataclass."""
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
        __dataclass_params__=_PARAMS,
        __init__=_init(cls.__qualname__, fields),
        __setattr__=_refuse,
        __delattr__=_refuse,
        __getstate__=_getstate,
        __setstate__=_setstate,
        __repr__=_repr,
    )
    # A class may say for itself what it is equal to.
    if "__eq__" not in namespace:
        namespace.update(__eq__=_eq, __hash__=_hash)
    namespace.setdefault("__replace__", dataclasses.replace)
    return type(cls)(cls.__name__, cls.__bases__, namespace)


class _Params:
    """What `dataclasses` notes of the arguments of its decorator."""

    init = repr = eq = frozen = match_args = slots = True
    order = unsafe_hash = kw_only = weakref_slot = False


_PARAMS = _Params()


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


def _init(name: str, fields: dict[str, dataclasses.Field[Any]]) -> Callable[..., None]:
    names = tuple(fields)
    count = len(names)
    put = object.__setattr__

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        if len(values) == count and not named:
            for field, value in zip(names, values, strict=True):
                put(self, field, value)
            return
        if len(values) > count:
            raise TypeError(f"{name}() takes {count} values, not {len(values)}")
        for field, value in zip(names, values, strict=False):
            if field in named:
                raise TypeError(f"{name}() got `{field}` twice")
            put(self, field, value)
        for field in names[len(values) :]:
            if field in named:
                put(self, field, named.pop(field))
                continue
            made = fields[field]
            if made.default is not dataclasses.MISSING:
                put(self, field, made.default)
            elif made.default_factory is not dataclasses.MISSING:
                put(self, field, made.default_factory())
            else:
                raise TypeError(f"{name}() lacks `{field}`")
        if named:
            raise TypeError(f"{name}() has no {', '.join(named)}")

    return __init__


def _refuse(self: object, name: str, value: object = None) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")


def _values(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, name) for name in self.__match_args__)


def _eq(self: Any, other: object) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return _values(self) == _values(other)


def _hash(self: Any) -> int:
    return hash(_values(self))


def _repr(self: Any) -> str:
    inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({inside})"


def _getstate(self: Any) -> tuple[Any, ...]:
    return _values(self)


def _setstate(self: Any, state: tuple[Any, ...]) -> None:
    for name, value in zip(self.__match_args__, state, strict=True):
        object.__setattr__(self, name, value)
