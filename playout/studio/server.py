"""The server: a port on this machine, who may speak to it, and how long it runs.

Three checks stand before every request and before the socket (`Door`). The host must be one that the studio was started under, else any page
in the browser could reach it through a name of its own (DNS rebinding). An origin, where the browser sends one, must be the studio
itself. And where it was opened to other machines, there must be the token: in the link, and from then on in a cookie.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import threading
import webbrowser
from collections.abc import Awaitable, Callable
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playout.errors import PlayoutError
from playout.studio.catalog import Catalog

LOOPBACK = ("127.0.0.1", "localhost", "::1")
COOKIE = "playout-studio"
RECONNECT = 30.0
"""Seconds that a page is kept for a browser that is slow or asleep; its process is ended much earlier (`pages.frame`)."""
MOST_BODY = 4_000_000
"""Bytes of a request; a saved position is much smaller."""

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class Door:
    """What every request and every socket has to pass before anything else sees it."""

    def __init__(self, app: Any, hosts: tuple[str, ...], token: str = "") -> None:
        self.app, self.hosts, self.token = app, hosts, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        trouble = self.trouble(scope)
        if trouble:
            await _refuse(scope, receive, send, trouble)
            return
        if scope["type"] == "http":
            receive = _bounded(receive)
            send = self._with_cookie(send) if self.token else send
        await self.app(scope, receive, send)

    def trouble(self, scope: Scope) -> str:
        """Why this request is refused, in a sentence; empty where it is not."""
        headers = {name.lower(): value.decode("latin-1") for name, value in scope.get("headers", [])}
        host = headers.get(b"host", "")
        if self.hosts and _name(host) not in self.hosts:
            return "this name is not one of the studio's; use the link that it printed"
        origin = headers.get(b"origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return "another page may not speak to the studio"
        # From elsewhere a link may lead here, but no page may have the studio inside of it, nor fetch from it: each page takes a process.
        if headers.get(b"sec-fetch-site") == "cross-site" and headers.get(b"sec-fetch-dest") != "document":
            return "another page may not speak to the studio"
        if self.token and not self._knows(scope, headers):
            return "the token is missing; use the whole link that the studio printed"
        length = headers.get(b"content-length", "0")
        if not length.isdecimal() or int(length) > MOST_BODY:
            return "that is too long"
        return ""

    def _knows(self, scope: Scope, headers: dict[bytes, str]) -> bool:
        asked = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        try:
            kept = SimpleCookie(headers.get(b"cookie", "")).get(COOKIE)
        except CookieError:
            kept = None
        told = [asked.encode(), (kept.value if kept is not None else "").encode()]
        return any(hmac.compare_digest(word, self.token.encode()) for word in told)

    def _with_cookie(self, send: Send) -> Send:
        cookie = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/".encode()

        async def sending(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), (b"set-cookie", cookie)]}
            await send(message)

        return sending


def _name(host: str) -> str:
    """The name of a host header, without the port."""
    return (host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host).strip("[]").lower()


def _bounded(receive: Receive) -> Receive:
    """A body that says nothing of its length ends where it becomes too long."""
    taken = 0

    async def receiving() -> dict[str, Any]:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        return message if taken <= MOST_BODY else {"type": "http.disconnect"}

    return receiving


async def _refuse(scope: Scope, receive: Receive, send: Send, words: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        # Before the socket is accepted this is answered with 403.
        await send({"type": "websocket.close", "code": 1008, "reason": words})
        return
    body = f"403: {words}\n".encode()
    await send({"type": "http.response.start", "status": 403, "headers": [(b"content-type", b"text/plain; charset=utf-8")]})
    await send({"type": "http.response.body", "body": body})


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(64)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PlayoutError(f"the studio cannot listen on {host}:{port}: {reason}; choose another --port or --host") from None
    return found


def application(catalog: Catalog, hosts: tuple[str, ...] = LOOPBACK, token: str = "") -> Any:
    """The whole studio as an ASGI application."""
    from fastapi import FastAPI
    from nicegui import ui

    from playout.studio.pages import build

    build(catalog)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    ui.run_with(
        app,
        title="playout studio",
        favicon=FAVICON,
        dark=None,
        reconnect_timeout=RECONNECT,
        show_welcome_message=False,
        tailwind=False,
    )
    return Door(app, hosts, token)


FAVICON = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='8' fill='#2e6f9e'/>"
    "<path d='M10 8v16M10 12h8a5 5 0 0 1 0 10h-8' stroke='#fff' stroke-width='3.4' fill='none' stroke-linecap='round'/></svg>"
)


def run(
    catalog: Catalog,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    show: bool = True,
    path: str = "/",
    say: Callable[[str], None] = print,
) -> None:
    """Serve until Ctrl-C."""
    try:
        import uvicorn
        from nicegui import ui  # noqa: F401
    except ImportError:
        raise PlayoutError("the studio needs NiceGUI; pip install 'playout[studio]'") from None
    listener = bound(host, port)
    number = listener.getsockname()[1]
    local = host in LOOPBACK
    token = "" if local else secrets.token_urlsafe(24)
    # Opened to others, the studio has as many names as the machine; there the token is what counts.
    app = application(catalog, LOOPBACK if local else (), token)
    shown = f"[{host}]" if ":" in host else host if host not in ("0.0.0.0", "") else socket.gethostname()
    link = f"http://{shown}:{number}{path}"
    if token:
        link += ("&" if "?" in path else "?") + f"token={token}"

    from playout.studio.tab import warm_up

    threading.Thread(target=warm_up, daemon=True).start()
    say(f"the studio is open: {link}")
    say("Ctrl-C ends it")
    if show:
        threading.Timer(0.8, webbrowser.open, (link,)).start()
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=1, lifespan="on", ws_max_size=MOST_BODY
    )
    server = uvicorn.Server(config)
    server.run(sockets=[listener])
