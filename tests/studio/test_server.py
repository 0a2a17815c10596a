"""Who may speak to the studio: hosts, origins, the token, and how long a body may be. Without a port."""

import asyncio
import subprocess
import sys

import pytest

from playout.errors import PlayoutError
from playout.studio.server import MOST_BODY, Door, bound

TOKEN = "right-token"


def asked(door, kind="http", query="", **headers):
    """(status or close code, headers) of one request through the door; 200 where it was let in."""
    sent = []

    async def app(scope, receive, send):
        if kind == "http":
            body = b""
            while True:
                message = await receive()
                body += message.get("body", b"")
                if message["type"] == "http.disconnect":
                    await send({"type": "http.response.start", "status": 499, "headers": []})
                    return
                if not message.get("more_body"):
                    break
            await send({"type": "http.response.start", "status": 200, "headers": []})
        else:
            await send({"type": "websocket.accept"})

    bodies = [b"x" * (MOST_BODY // 2 + 1)] * 3 if headers.pop("long", False) else [b""]

    async def receive():
        if kind != "http":
            return {"type": "websocket.connect"}
        body = bodies.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(bodies)}

    async def send(message):
        sent.append(message)

    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": kind, "path": "/", "query_string": query.encode(), "headers": raw}
    door.app = app
    asyncio.run(door(scope, receive, send))
    first = sent[0]
    return first.get("status") or first.get("code") or 200, dict(first.get("headers") or [])


LOCAL = {"host": "127.0.0.1:8000"}


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_this_machine_is_let_in_by_its_own_names_alone(kind):
    door = Door(None, ("127.0.0.1", "localhost", "::1"))
    refused = 403 if kind == "http" else 1008
    assert asked(door, kind, **LOCAL)[0] == 200
    assert asked(door, kind, host="localhost:8000")[0] == 200
    assert asked(door, kind, host="[::1]:8000")[0] == 200
    assert asked(door, kind, host="evil.example:8000")[0] == refused
    assert asked(door, kind, host="")[0] == refused


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_foreign_origins_are_refused(kind):
    door = Door(None, ("127.0.0.1",))
    refused = 403 if kind == "http" else 1008
    assert asked(door, kind, **LOCAL, origin="http://127.0.0.1:8000")[0] == 200
    assert asked(door, kind, **LOCAL, origin="http://127.0.0.1:9000")[0] == refused
    assert asked(door, kind, **LOCAL, origin="http://evil.example")[0] == refused
    assert asked(door, kind, **LOCAL, origin="null")[0] == refused


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_without_the_token_nobody_is_let_in_from_elsewhere(kind):
    door = Door(None, (), TOKEN)
    refused = 403 if kind == "http" else 1008
    far = {"host": "studio.example:8000"}
    assert asked(door, kind, **far)[0] == refused
    assert asked(door, kind, query="token=wrong", **far)[0] == refused
    assert asked(door, kind, **far, cookie="playout-studio=wrong")[0] == refused
    assert asked(door, kind, **far, cookie="playout-studio=;;\x01=")[0] == refused
    assert asked(door, kind, query=f"token={TOKEN}", **far)[0] == 200
    assert asked(door, kind, **far, cookie=f"a=b; playout-studio={TOKEN}")[0] == 200


def test_the_token_is_kept_in_a_cookie_that_no_script_reads():
    cookie = asked(Door(None, (), TOKEN), query=f"token={TOKEN}", host="a")[1][b"set-cookie"].decode()
    assert TOKEN in cookie and "HttpOnly" in cookie and "SameSite=Strict" in cookie


def test_bodies_have_an_end():
    door = Door(None, ("127.0.0.1",))
    assert asked(door, **LOCAL, content_length=str(MOST_BODY + 1))[0] == 403
    assert asked(door, **LOCAL, content_length="much")[0] == 403
    assert asked(door, **LOCAL, long=True)[0] == 499


def test_a_port_that_is_taken_is_named():
    with bound("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PlayoutError, match=rf"the studio cannot listen on 127.0.0.1:{port}: .*; choose another --port"):
            bound("127.0.0.1", port)


@pytest.mark.parametrize(("dest", "status"), [("document", 200), ("image", 403), ("iframe", 403), ("empty", 403)])
def test_a_link_from_elsewhere_leads_here_and_nothing_else_does(dest, status):
    door = Door(None, ("127.0.0.1",))
    assert asked(door, sec_fetch_site="cross-site", sec_fetch_dest=dest, **LOCAL)[0] == status
    assert asked(door, sec_fetch_site="same-origin", sec_fetch_dest=dest, **LOCAL)[0] == 200


def test_a_tab_is_started_without_a_compiler():
    """Games run in the processes of tabs alone: the server's first page must not wait for what the server has no use for."""
    words = """if True:
        import asyncio, multiprocessing, pickle, sys
        from playout.studio.catalog import Catalog
        from playout.studio.tab import Tab

        class Process:
            def __init__(self, target, args, daemon):
                print(pickle.loads(pickle.dumps(target)).__name__, "numba" in sys.modules)

            start = kill = lambda self: None

        type(multiprocessing.get_context("forkserver")).Process = Process

        async def main():
            tab = Tab(Catalog(), print)
            tab.start()
            tab.close()

        asyncio.run(main())"""
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, timeout=60)
    assert done.stdout == "_serve False\n", done
