"""Luck: streams of whole numbers that are the same on every machine.

A stream is named by a seed and a path (`stream(7, "chance", 3)`), and its numbers depend on that
name and on nothing else: not on how much other streams were used, not on the Python version, the
platform, the locale or the hash seed. Nothing in here sees a float.

The scheme (`docs/reference/randomness.md` says it once more, with known values):

* seed and path parts are written as text (`-5` is "-5"), each as its length in bytes, `:`, its
  UTF-8 bytes and `,`; the key is BLAKE2b of all of them, 64 bytes, personal `rulerun-chance-1`;
* block `n` of a stream is BLAKE2b keyed with that, 64 bytes, of `n` in 8 bytes, little end first;
  it holds 8 words of 64 bits, little end first, and the words of block 0, 1, 2, … are the stream;
* `below(n)` takes as many words as n - 1 needs (none for n = 1), the first one lowest, and draws
  again while the number is not below the greatest multiple of n that fits.

Games by the million need luck that costs next to nothing: `Quick`, a second scheme, by name
`rulerun-quick-1`, which compiled executors speak as well:

* the key of a seed is the first word (of 8 bytes, little end first) of the key above;
* stream `j` of game `i` starts at the state `mix(key + G * (1 + 64 * i + j))`, where `mix` is the
  finaliser of splitmix64 and G = 0x9E3779B97F4A7C15; all arithmetic is modulo 2**64;
* a word is one step of wyrand: add 0xA0761D6478BD642F to the state, multiply it by itself xor
  0xE7037ED1A0B428DB to 128 bits, and xor both halves;
* `below(n)` is the high half of word * n; below(1) is 0 and draws nothing.

A change of any of this is another scheme with another name: a seed is a promise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from struct import Struct
from typing import TypeVar

SCHEME = "rulerun-chance-1"

QUICK_SCHEME = "rulerun-quick-1"

_PERSONAL = SCHEME.encode("ascii")
_WORDS = Struct("<8Q")
_COUNTER = Struct("<Q")

T = TypeVar("T")


def stream(seed: int | str, *path: int | str) -> Stream:
    """Return the stream of this name, at its beginning.

    >>> stream(7, "chance", 0).below(52) == stream("7", "chance", "0").below(52)
    True
    """
    return Stream(_key((seed, *path)))


def _key(parts: Iterable[int | str]) -> bytes:
    digest = blake2b(digest_size=64, person=_PERSONAL)
    for part in parts:
        if isinstance(part, bool) or not isinstance(part, int | str):
            raise TypeError(f"a seed is a whole number or a text, not {type(part).__name__}")
        # What the command line could not decode is a seed as good as any other.
        text = str(part).encode("utf-8", "surrogatepass")
        digest.update(b"%d:%b," % (len(text), text))
    return digest.digest()


class Stream:
    """Numbers drawn one after another. Two streams of one name draw the same numbers."""

    __slots__ = ("_block", "_key", "_ready")

    def __init__(self, key: bytes) -> None:
        """Start the stream of a key of 64 bytes."""
        self._key = key
        self._block = 0
        # Words of the current block that were not drawn yet, the next one last.
        self._ready: list[int] = []

    def word(self) -> int:
        """Draw 64 bits."""
        if not self._ready:
            content = blake2b(_COUNTER.pack(self._block), digest_size=64, key=self._key).digest()
            self._ready = list(reversed(_WORDS.unpack(content)))
            self._block += 1
        return self._ready.pop()

    def below(self, bound: int) -> int:
        """Draw a whole number from 0 up to, but without, `bound`, each as likely as any other."""
        if bound < 1:
            raise ValueError(f"no number lies from 0 to below {bound}")
        if bound == 1:
            return 0
        words = ((bound - 1).bit_length() + 63) // 64
        range_ = 1 << 64 * words
        limit = range_ - range_ % bound
        while True:
            number = 0
            for place in range(words):
                number |= self.word() << 64 * place
            if number < limit:
                return number % bound

    def weighted(self, weights: Sequence[int]) -> int:
        """Draw a position of `weights`, each as likely as its whole weight says."""
        if any(weight < 0 for weight in weights):
            raise ValueError("a weight is below 0")
        total = sum(weights)
        if total < 1:
            raise ValueError("no weight is above 0")
        left = self.below(total)
        for position, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return position
        raise AssertionError("the weights changed while they were added")

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """Return the items in an order drawn from all orders (Fisher-Yates, from the last down)."""
        shuffled = list(items)
        for last in range(len(shuffled) - 1, 0, -1):
            other = self.below(last + 1)
            shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
        return shuffled


# -------------------------------------------------------------------------------- for batches

GOLDEN = 0x9E3779B97F4A7C15
STEP = 0xA0761D6478BD642F
TWIST = 0xE7037ED1A0B428DB
STREAMS = 64
"""How many streams a game may have: one for luck, one for each seat."""
_WORD = (1 << 64) - 1


def key_of(seed: int | str) -> int:
    """The key of a seed for batches of games: 64 bits."""
    return int.from_bytes(_key((seed,))[:8], "little")


def begun(key: int, game: int, stream: int) -> int:
    """The state in which a stream of a game starts.

    >>> hex(begun(key_of(7), 0, 0)) == hex(begun(key_of("7"), 0, 0))
    True
    """
    state = key + GOLDEN * (1 + STREAMS * game + stream) & _WORD
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    state = (state ^ state >> 27) * 0x94D049BB133111EB & _WORD
    return state ^ state >> 31


class Quick(Stream):
    """A quick stream: the same questions as any stream, answered by wyrand."""

    __slots__ = ("state",)

    def __init__(self, key: int, game: int, stream: int) -> None:
        """Start stream `stream` of a game."""
        self.state = begun(key, game, stream)

    def word(self) -> int:
        """Draw 64 bits."""
        self.state = state = self.state + STEP & _WORD
        product = state * (state ^ TWIST)
        return (product ^ product >> 64) & _WORD

    def below(self, bound: int) -> int:
        """Draw a whole number from 0 up to, but without, `bound`."""
        if bound < 1:
            raise ValueError(f"no number lies from 0 to below {bound}")
        if bound == 1:
            return 0
        if bound > _WORD:
            return super().below(bound)
        return self.word() * bound >> 64
