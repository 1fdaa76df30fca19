"""Packages that wait outside of Python, where no clock can be replaced. The program is told when it imports one."""
import sys

ADVICE = "Its waits take real time, and virtual time does not move meanwhile."
#: By the module that waits: what the program can do.
OUTSIDE = {
    "gevent": f"gevent waits outside of Python. {ADVICE} Use threads or asyncio.",
    "eventlet": f"eventlet replaces sockets and sleeps with its own. {ADVICE} Use threads or asyncio.",
    "grpc._cython.cygrpc": f"grpc waits outside of Python. {ADVICE} Call the gateway by HTTP.",
    "pycurl": f"pycurl waits outside of Python. {ADVICE} Use requests, httpx or aiohttp.",
    "psycopg2._psycopg": f"psycopg2 waits for its database outside of Python. {ADVICE}",
    "psycopg_c": f"psycopg waits for its database outside of Python. {ADVICE} Set PSYCOPG_IMPL=python.",
    "psycopg_binary": f"psycopg waits for its database outside of Python. {ADVICE} Set PSYCOPG_IMPL=python.",
    "pyarrow.flight": f"pyarrow.flight waits outside of Python. {ADVICE}",
    "confluent_kafka.cimpl": f"confluent_kafka waits outside of Python. {ADVICE}",
}


def warn(text):
    sys.stderr.write(f"greenroom: {text}\n")


def replace_uvloop(module):
    """uvloop gives way to the event loop of asyncio, which a program can't tell from it but by its speed."""
    import asyncio

    warn("uvloop waits outside of Python. The event loop of asyncio is used instead.")
    module.install = lambda: None
    module.Loop, module.EventLoopPolicy = asyncio.SelectorEventLoop, asyncio.DefaultEventLoopPolicy
    module.new_event_loop = asyncio.SelectorEventLoop
    module.run = lambda main, **named: asyncio.run(main, **{key: named[key] for key in ("debug",) if key in named})


def patches():
    """What to do after the import of each of these modules."""

    def warning(text):
        return lambda module: warn(text)

    return {"uvloop": replace_uvloop, **{name: warning(text) for name, text in OUTSIDE.items()}}
