"""One thread and selectors.DefaultSelector (epoll, level-triggered). A connection is registered for reading or for
writing; during its work it is not registered, so nothing is read from it, and a heap of timers holds the end of the
work."""

import heapq
import itertools
import os
import selectors
import time

from frame.listener import ACCEPT_PAUSE_SECONDS, announce, open_listener, reason, say
from frame.options import option_parser, parse_options
from frame.protocols import PROTOCOLS
from frame.work import Work

READ_BYTES = 32 * 1024
ACCEPTS_PER_TURN = 64
# The selector's timeout must fit an int of milliseconds.
LONGEST_TURN_SECONDS = 3600


class Loop:
    """The selector, the heap of timers and the listener."""

    def __init__(self, options, listener):
        self.options = options
        self.listener = listener
        self.converse = PROTOCOLS[options.protocol]
        self.work = Work(options.work, options.work_kind, options.work_seed)
        self.selector = selectors.DefaultSelector()
        self.timers = []  # (due in ns of the monotonic clock, number that breaks ties, what to call)
        self.numbers = itertools.count()
        self.said = False

    def run(self):
        self.listener.setblocking(False)
        self.watch_listener()
        while True:
            for key, _ in self.selector.select(self.until_next_timer()):
                key.data()
            now = time.monotonic_ns()
            while self.timers and self.timers[0][0] <= now:
                heapq.heappop(self.timers)[2]()

    def call_after(self, count, callback):
        """Calls back after this many nanoseconds, never earlier."""
        heapq.heappush(self.timers, (time.monotonic_ns() + count, next(self.numbers), callback))

    def until_next_timer(self):
        if not self.timers:
            return None
        return min(max(0, self.timers[0][0] - time.monotonic_ns()) / 1e9, LONGEST_TURN_SECONDS)

    def watch_listener(self):
        self.selector.register(self.listener, selectors.EVENT_READ, self.accept_some)

    def accept_some(self):
        for _ in range(ACCEPTS_PER_TURN):
            try:
                connection, _ = self.listener.accept()
            except BlockingIOError:
                return
            except ConnectionAbortedError:
                continue
            except OSError as error:
                self.pause_accepting(error)
                return
            connection.setblocking(False)
            Connection(self, connection).watch(selectors.EVENT_READ)

    def pause_accepting(self, error):
        """Out of descriptors or memory: watching the listener would spin."""
        if not self.said:
            self.said = True
            say(self.options.name, f"accept: further connections wait in the accept queue: {reason(error)}")
        self.selector.unregister(self.listener)
        self.call_after(int(ACCEPT_PAUSE_SECONDS * 1e9), self.watch_listener)


class Connection:
    """Read, work, write, in this order: nothing is read while a reply is pending."""

    __slots__ = ("conversation", "ends", "loop", "pending", "socket", "watched")

    def __init__(self, loop, socket):
        self.loop = loop
        self.socket = socket
        self.conversation = loop.converse(loop.options.volley_stop)
        self.pending = b""
        self.ends = False
        self.watched = 0

    def watch(self, events):
        """Registers for exactly these events; 0: for none."""
        if events == self.watched:
            return
        selector = self.loop.selector
        callback = self.read if events == selectors.EVENT_READ else self.write
        if not events:
            selector.unregister(self.socket)
        elif self.watched:
            selector.modify(self.socket, events, callback)
        else:
            selector.register(self.socket, events, callback)
        self.watched = events

    def read(self):
        try:
            data = self.socket.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            return
        self.pending, requests, self.ends = self.conversation.answer(data)
        left = self.loop.work.begin(requests)
        if left:
            self.watch(0)
            self.loop.call_after(left, self.write)
        else:
            self.write()

    def write(self):
        try:
            if self.pending:
                self.pending = self.pending[self.socket.send(self.pending) :]
        except BlockingIOError:
            pass
        except OSError:
            self.close()
            return
        if self.pending:
            self.watch(selectors.EVENT_WRITE)
        elif self.ends:
            os._exit(0)
        else:
            self.watch(selectors.EVENT_READ)

    def close(self):
        self.watch(0)
        self.socket.close()


def main():
    options = parse_options(option_parser("python-selectors", "One thread, selectors.DefaultSelector (epoll)."))
    listener = open_listener(options)
    announce(options, listener)
    Loop(options, listener).run()


if __name__ == "__main__":
    main()
