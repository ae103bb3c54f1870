"""A state: one vector of small whole numbers, and nothing else.

`model.Layout` says what each place means. A state is a value: equal vectors are equal states, it is
never changed, and it can be written as JSON or as compact bytes and read back, the same on every
machine.
"""

from __future__ import annotations

from hashlib import blake2b

from rulerun_dsl.source.frozen import frozen

_VERSION = 1
_SHORT = {value: bytes(((value << 1) ^ (value >> 7),)) for value in range(-64, 64)}
"""The numbers that take one byte."""


@frozen
class State:
    """A point in a play: `slots` as `Layout` describes them."""

    slots: tuple[int, ...]

    def to_json(self) -> list[int]:
        """The vector, as plain JSON."""
        return list(self.slots)

    @classmethod
    def from_json(cls, data: object) -> State:
        """The state written by `to_json`. Raises ValueError for anything else."""
        if not isinstance(data, list) or not all(type(item) is int for item in data):
            raise ValueError("a state is a list of whole numbers")
        return cls(tuple(data))

    def to_bytes(self) -> bytes:
        """The vector as bytes: a version, then each number as a zigzag varint (1 byte if small)."""
        parts = [_SHORT.get(value) or _long(value) for value in self.slots]
        return bytes((_VERSION,)) + b"".join(parts)

    def digest(self) -> str:
        """A hash of it, by which a record knows it again."""
        return blake2b(self.to_bytes(), digest_size=8).hexdigest()

    @classmethod
    def from_bytes(cls, data: bytes) -> State:
        """The state written by `to_bytes`. Raises ValueError for anything else."""
        if not data or data[0] != _VERSION:
            raise ValueError("not the bytes of a state")
        slots: list[int] = []
        number = shift = 0
        for byte in data[1:]:
            number |= (byte & 0x7F) << shift
            if byte & 0x80:
                shift += 7
                continue
            slots.append(number >> 1 if not number & 1 else -((number + 1) >> 1))
            number = shift = 0
        if shift:
            raise ValueError("the bytes of the state end in the middle of a number")
        return cls(tuple(slots))


def _long(value: int) -> bytes:
    """A number that takes more than one byte."""
    out = bytearray()
    number = value << 1 if value >= 0 else (-value << 1) - 1
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
