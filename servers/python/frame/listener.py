"""Limits, signals, the listening socket and the ready line. On Linux an accepted socket inherits TCP_NODELAY from
its listener, so it is set here once."""

import json
import mmap
import os
import resource
import signal
import socket
import sys

# How long a server without free descriptors or threads stops accepting.
ACCEPT_PAUSE_SECONDS = 0.1
DESCRIPTORS_MOST = 1 << 20


def say(name, what):
    """A line on stderr."""
    sys.stderr.write(f"{name}: {what}\n")


def open_listener(options):
    """The listening socket, blocking, after raising the limits; SIGTERM and SIGINT end the process with status 0 from
    here on. If it cannot listen, it reports the reason and ends the process with status 1."""
    raise_descriptors()
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, lambda *_: os._exit(0))
    try:
        return bind_first(options)
    except (OSError, UnicodeError) as error:
        say(options.name, f"cannot listen on {options.host} port {options.port}: {reason(error)}")
        sys.exit(1)


def signalled_flag():
    """A mapped byte that C code sets when a signal arrives, before any Python code runs. With hundreds of computing
    threads, the main thread waits for the interpreter's lock until each has had a turn; the thread that holds the
    lock can read this byte instead."""
    file = os.memfd_create("signalled")
    os.ftruncate(file, mmap.PAGESIZE)
    os.set_blocking(file, False)
    signal.set_wakeup_fd(file)
    return mmap.mmap(file, mmap.PAGESIZE)


def announce(options, listener):
    """The ready line."""
    host, port = listener.getsockname()[:2]
    line = {"ready": True, "protocol": options.protocol, "host": host, "port": port, "pids": [os.getpid()]}
    print(json.dumps(line, separators=(",", ":")), flush=True)


def reason(error):
    """The kernel's message, without the error number."""
    return getattr(error, "strerror", None) or error


def bind_first(options):
    passive = socket.AI_PASSIVE | socket.AI_NUMERICSERV
    found = socket.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM, flags=passive)
    for at, (family, kind, protocol, _, address) in enumerate(found):
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            listener.bind(address)
            listener.listen(options.backlog)
            return listener
        except OSError:
            listener.close()
            if at == len(found) - 1:
                raise
    raise OSError(f"no address of {options.host}")


def raise_descriptors():
    """Raises the soft descriptor limit to the hard one, up to a million. If that fails it stays as it is."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft = DESCRIPTORS_MOST if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS_MOST)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
