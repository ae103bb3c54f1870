"""What every answer of the server has: headers that keep a browser careful, and bounded bodies.

Assumes requests from anybody.
Leaves behind responses of starlette.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

LARGEST_FORM = 16_384


def headers(
    *, frames: str = "'none'", framed: str = "'none'", style: str = "'self'"
) -> dict[str, str]:
    """The headers of a page: what it may show in frames, who may frame it, where its style is."""
    policy = (
        f"default-src 'none'; script-src 'self'; style-src {style}; img-src 'self' data:; "
        f"connect-src 'self'; frame-src {frames}; base-uri 'none'; form-action 'none'; "
        f"frame-ancestors {framed}"
    )
    return {
        "Content-Security-Policy": policy,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Opener-Policy": "same-origin",
    }


HEADERS = headers()


def host_of(address: str) -> tuple[str, str]:
    """The name in an address, and the name with its port; "" for both where it is no address.

    >>> host_of("//localhost:80"), host_of("//[")
    (('localhost', 'localhost:80'), ('', ''))
    """
    try:
        found = urlsplit(address)
    except ValueError:
        return "", ""
    return found.hostname or "", found.netloc


async def limited(request: Request, most: int = LARGEST_FORM) -> bytes:
    """The body of a request. Raises `ValueError` for a larger one."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > most:
            raise ValueError(f"there are more than {most} bytes")
    return body


def data(found: object, status: int = 200) -> Response:
    """An answer as JSON."""
    return JSONResponse(found, status, headers=HEADERS)


def refusal(status: int, why: str) -> Response:
    """An answer that says what is in the way."""
    return JSONResponse({"error": why}, status, headers=HEADERS)
