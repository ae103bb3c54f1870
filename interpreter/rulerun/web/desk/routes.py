"""The desk for a browser: requests of its owner, and of nobody else.

Assumes a desk, and the token that its owner got when the server began.
Does: takes requests that carry the token in a header, under a name of this very machine; reads
their bodies within bounds.
Leaves behind routes of starlette. The token is sent in no address, and stands in no log.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rulerun.runtime.executor import RuleError
from rulerun.web.desk import helping
from rulerun.web.desk.designing import Data, Desk, Rooms
from rulerun.web.desk.files import MOST_FILES, Files, NotSaved
from rulerun.web.desk.trying import Setting
from rulerun.web.editions import Unplayable
from rulerun.web.replies import data, host_of, limited, refusal
from rulerun.web.store import NotKept, Store
from rulerun.web.table import NotTaken
from rulerun.words.language import SHIPPED
from rulerun_dsl.source.safe_text import clean

LARGEST = 8 * 2**20
"""Bytes of a request: all texts of a ruleset."""
LOCAL = ("127.0.0.1", "localhost", "::1")

Take = Callable[[Desk, Mapping[str, Any]], Awaitable[Data]]


def laid(main: Path, token: str, store: Store, rooms: Rooms) -> tuple[Desk, list[Route]]:
    """The desk of a rules file, and what its page asks for; a wrong token is answered 403."""
    desk = Desk(Files(main), store, rooms)

    def handler(take: Take) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            given = request.headers.get("authorization", "").removeprefix("Bearer ")
            host, _ = host_of(f"//{request.headers.get('host', '')}")
            if host not in LOCAL or not secrets.compare_digest(given.encode(), token.encode()):
                return refusal(403, "the desk is for who has begun the server: open its own link")
            try:
                return data(await take(desk, _object(await limited(request, LARGEST))))
            except (NotTaken, NotSaved, Unplayable, ValueError) as reason:
                return refusal(400, clean(str(reason)))
            except RuleError as error:
                return refusal(400, f"in set-up: {clean(str(error))}")
            except (NotKept, OSError) as failure:
                return refusal(507, f"that cannot be kept: {failure}")

        return answer

    return desk, [
        Route(f"/api/desk/{name}", handler(take), methods=["POST"]) for name, take in _TAKES.items()
    ]


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        raise ValueError("the request is no JSON") from None
    if not isinstance(found, dict):
        raise ValueError("the request is no JSON object")
    return found


def _texts(asked: Mapping[str, Any]) -> dict[str, str]:
    found = asked.get("texts")
    if not isinstance(found, dict) or len(found) > MOST_FILES:
        raise ValueError("`texts` has a text for each file")
    if not all(isinstance(each, str) for each in found.values()):
        raise ValueError("`texts` has a text for each file")
    return {name: _whole(text) for name, text in found.items()}


def _whole(text: str) -> str:
    """A text that can be handed on: half a character is the checker's to refuse."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _text(asked: Mapping[str, Any], key: str) -> str:
    found = asked.get(key)
    if not isinstance(found, str):
        raise ValueError(f"`{key}` is a text")
    return found


def _number(asked: Mapping[str, Any], key: str) -> int:
    found = asked.get(key)
    if type(found) is not int or not 0 <= found < 2**53:
        raise ValueError(f"`{key}` is a number")
    return found


def _names(asked: Mapping[str, Any], key: str) -> dict[str, str]:
    found = asked.get(key, {})
    if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        raise ValueError(f"`{key}` has a text for each name")
    return found


async def _open(desk: Desk, _: Mapping[str, Any]) -> Data:
    return await desk.opened()


async def _marks(desk: Desk, _: Mapping[str, Any]) -> Data:
    return await desk.marks()


async def _check(desk: Desk, asked: Mapping[str, Any]) -> Data:
    return await desk.check(_texts(asked))


def _looking(what: Callable[..., helping.Data | None]) -> Take:
    async def look(desk: Desk, asked: Mapping[str, Any]) -> Data:
        return await desk.look(what, _texts(asked), _text(asked, "file"), _number(asked, "offset"))

    return look


async def _save(desk: Desk, asked: Mapping[str, Any]) -> Data:
    texts, marks = asked.get("texts"), _names(asked, "marks")
    if not isinstance(texts, dict) or not all(isinstance(each, str) for each in texts.values()):
        raise ValueError("`texts` has a text for each file")
    return await desk.save({name: (text, marks.get(name, "")) for name, text in texts.items()})


async def _settings(desk: Desk, _: Mapping[str, Any]) -> Data:
    return await desk.settings()


async def _scenarios(desk: Desk, _: Mapping[str, Any]) -> Data:
    return await desk.scenarios()


async def _go_on(desk: Desk, asked: Mapping[str, Any]) -> Data:
    return await desk.go_on(_text(asked, "how"))


async def _form(desk: Desk, asked: Mapping[str, Any]) -> Data:
    language = _text(asked, "language")
    return await desk.form(language if language in SHIPPED else "")


async def _lay(desk: Desk, asked: Mapping[str, Any]) -> Data:
    players = asked.get("players")
    if players is not None and (type(players) is not int or not 0 < players < 100):
        raise ValueError("`players` is a number")
    variants = asked.get("variants", [])
    if not isinstance(variants, list) or not all(isinstance(each, str) for each in variants):
        raise ValueError("`variants` is a list of names")
    setting = Setting(players, tuple(_names(asked, "options").items()), tuple(variants))
    return await desk.lay(setting, _names(asked, "seats"))


async def _play(desk: Desk, asked: Mapping[str, Any]) -> Data:
    return await desk.play(_text(asked, "level"), _number(asked, "games"))


async def _stop(desk: Desk, _: Mapping[str, Any]) -> Data:
    return desk.stop_playing()


_TAKES: Mapping[str, Take] = {
    "open": _open,
    "marks": _marks,
    "check": _check,
    "complete": _looking(helping.completion),
    "hover": _looking(helping.hovering),
    "definition": _looking(helping.definition),
    "save": _save,
    "settings": _settings,
    "scenarios": _scenarios,
    "go_on": _go_on,
    "form": _form,
    "lay": _lay,
    "play": _play,
    "stop": _stop,
}
