"""The games that rulerun and a peer both have, and what each calls them.

Assumes: rulesets in `rulesets/`, and peers as `peers` installs them.
Does: says for each game our file with its settings, and each peer's name of the same rules.
Leaves behind: `GAMES`, in the order in which they are run. The settings are those of
`tests/open_spiel`, where our games are compared with OpenSpiel's move for move.

A row for a peer means only that the peer claims to play this game: every run checks it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Shared:
    """One game with its settings."""

    name: str
    ruleset: str
    """The file, below `rulesets/`, without its ending."""
    depth: int
    """Sequences of so many inputs are counted: as deep as the reference gets in two seconds."""
    players: int | None = None
    options: dict[str, str] = field(default_factory=dict)
    peers: dict[str, str] = field(default_factory=dict)
    """By variant of `peers.VARIANTS`: what that peer calls it."""
    remark: str = ""
    """A difference that is known."""
    digest: int = 50
    """Games in which our engines must be equal: fewer where the reference takes long."""

    @property
    def ours(self) -> str:
        """What our worker is told."""
        return json.dumps(
            {"ruleset": self.ruleset, "players": self.players, "options": self.options}
        )


def _spiel(name: str, also: dict[str, str] | None = None) -> dict[str, str]:
    return {"open_spiel inside": name, "open_spiel stepped": name, **(also or {})}


HOLDEM = (
    "universal_poker(betting=nolimit,bettingAbstraction=fullgame,numPlayers=2,numRounds=4,"
    "numHoleCards=2,numBoardCards=0 3 1 1,numRanks=13,numSuits=4,stack=100 100,blind=2 1,"
    "firstPlayer=2 1 1 1)"
)

GAMES = (
    Shared(
        "tic_tac_toe",
        "classics/tic_tac_toe",
        depth=5,
        peers=_spiel(
            "tic_tac_toe",
            {
                "open_spiel python": "python_tic_tac_toe",
                "rlc": "tic_tac_toe",
                "pgx 1024": "tic_tac_toe",
                "pgx 8192": "tic_tac_toe",
                "pettingzoo": "tictactoe_v3",
                "boardgame.io": "tic_tac_toe",
            },
        ),
    ),
    Shared(
        "connect_four",
        "classics/connect_four",
        depth=5,
        peers=_spiel(
            "connect_four",
            {
                "rlc": "connect_four",
                "pgx 1024": "connect_four",
                "pettingzoo": "connect_four_v3",
                "boardgame.io": "connect_four",
            },
        ),
    ),
    Shared(
        "breakthrough 8x8",
        "classics/breakthrough",
        depth=3,
        peers=_spiel("breakthrough(rows=8,columns=8)", {"rlc": "breakthrough"}),
    ),
    Shared(
        "breakthrough 6x6",
        "classics/breakthrough",
        depth=3,
        options={"rows": "6", "columns": "6"},
        peers=_spiel("breakthrough(rows=6,columns=6)"),
    ),
    Shared("hex 11x11", "classics/hex", depth=2, peers=_spiel("hex(board_size=11)")),
    Shared(
        "hex 11x11 swap",
        "classics/hex",
        depth=2,
        options={"swap": "true"},
        peers=_spiel("hex(board_size=11,swap=True)", {"pgx 256": "hex"}),
    ),
    Shared("checkers", "classics/checkers", depth=5, peers=_spiel("checkers")),
    Shared(
        "kuhn_poker",
        "classics/kuhn_poker",
        depth=4,
        peers=_spiel(
            "kuhn_poker", {"open_spiel python": "python_kuhn_poker", "pgx 8192": "kuhn_poker"}
        ),
    ),
    Shared(
        "leduc_poker",
        "classics/leduc_poker",
        depth=5,
        peers=_spiel(
            "leduc_poker",
            {
                "pgx 8192": "leduc_holdem",
                "rlcard": "leduc-holdem",
                "pettingzoo": "leduc_holdem_v4",
            },
        ),
    ),
    Shared("liars_dice", "classics/liars_dice", depth=4, peers=_spiel("liars_dice")),
    Shared("goofspiel", "classics/goofspiel", depth=3, peers=_spiel("goofspiel")),
    Shared("pig", "classics/pig", depth=5, peers=_spiel("pig")),
    Shared(
        "go_fish",
        "classics/go_fish",
        depth=3,
        peers=_spiel("go_fish"),
        remark="OpenSpiel replaces no book that is dealt to the last seat: one play in 190 or so",
    ),
    Shared("hearts", "classics/hearts", depth=3, peers=_spiel("hearts")),
    Shared(
        "texas_holdem",
        "classics/texas_holdem",
        depth=3,
        peers=_spiel(HOLDEM),
        remark="OpenSpiel breaks the chip that is left over of a shared pot",
    ),
    Shared("othello", "classics/othello", depth=3, peers=_spiel("othello")),
    Shared("lines_of_action", "classics/lines_of_action", depth=2, peers=_spiel("lines_of_action")),
    Shared("chess", "classics/chess", depth=2, digest=3, peers=_spiel("chess")),
    Shared("go 9x9", "classics/go", depth=2, peers=_spiel("go(board_size=9)")),
    Shared(
        "amazons 8x8",
        "classics/amazons",
        depth=2,
        options={"board_size": "8"},
        peers=_spiel("amazons(board_size=8)"),
    ),
    Shared(
        "havannah, side 5",
        "classics/havannah",
        depth=2,
        options={"board_size": "5"},
        peers=_spiel("havannah(board_size=5)"),
    ),
    # Ours alone: how fast they are is told, and nothing is compared.
    Shared("brave_rats", "brave_rats", depth=2),
    Shared("love_letter", "classics/love_letter", depth=2),
)


def named(names: str) -> tuple[Shared, ...]:
    """The games of a list with commas; all of them, if it is empty."""
    if not names:
        return GAMES
    known = {each.name: each for each in GAMES}
    wanted = [name.strip() for name in names.split(",")]
    for name in wanted:
        if name not in known:
            raise SystemExit(f"there is no game {name}; there are: {', '.join(known)}")
    return tuple(known[name] for name in wanted)
