"""asyncio: its transports and a protocol object per connection, on asyncio's own loop or on uvloop's (--loop). A
transport would buffer without limit, so nothing is read from a connection while its transport holds a part of a reply,
or while its work is pending."""

import asyncio
import os
import time

from frame.listener import ACCEPT_PAUSE_SECONDS, announce, open_listener, reason, say
from frame.options import option_parser, parse_options
from frame.protocols import PROTOCOLS
from frame.work import Work

READ_BYTES = 32 * 1024
ACCEPTS_PER_TURN = 64


class Server:
    """The acceptor and what all connections share."""

    def __init__(self, options, listener, loop):
        self.options = options
        self.listener = listener
        self.loop = loop
        self.converse = PROTOCOLS[options.protocol]
        self.work = Work(options.work, options.work_kind, options.work_seed)
        self.buffer = memoryview(bytearray(READ_BYTES))  # shared by all reads and consumed immediately
        self.opening = set()  # tasks; the loop holds only weak references
        self.said = False

    def run(self):
        self.listener.setblocking(False)
        self.loop.set_exception_handler(quiet_about_clients)
        self.watch_listener()
        self.loop.run_forever()

    def watch_listener(self):
        self.loop.add_reader(self.listener, self.accept_some)

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
            task = self.loop.create_task(self.loop.connect_accepted_socket(lambda: Connection(self), connection))
            self.opening.add(task)
            task.add_done_callback(self.opening.discard)

    def pause_accepting(self, error):
        """Out of descriptors or memory. asyncio's own server would log every attempt, uvloop's would silently close
        further connections. Here both leave them in the accept queue."""
        if not self.said:
            self.said = True
            say(self.options.name, f"accept: further connections wait in the accept queue: {reason(error)}")
        self.loop.remove_reader(self.listener)
        self.loop.call_later(ACCEPT_PAUSE_SECONDS, self.watch_listener)


class Connection(asyncio.BufferedProtocol):
    """Read, work, write, in this order. The transport closes itself at the end of the client's input; all replies
    have been written by then."""

    __slots__ = ("conversation", "server", "transport")

    def __init__(self, server):
        self.server = server
        self.conversation = server.converse(server.options.volley_stop)

    def connection_made(self, transport):
        self.transport = transport
        transport.set_write_buffer_limits(high=0)

    def get_buffer(self, sizehint):  # noqa: ARG002
        return self.server.buffer

    def buffer_updated(self, nbytes):
        data = bytes(self.server.buffer[:nbytes])
        reply, requests, ends = self.conversation.answer(data)
        left = self.server.work.begin(requests)
        if left:
            self.transport.pause_reading()
            self.reply_at(time.monotonic_ns() + left, reply, ends)
        else:
            self.reply(reply, ends)

    def reply_at(self, due, reply, ends):
        """Replies when the work is done; checks the clock first, because uvloop's timers count from the start of its
        turn."""
        left = due - time.monotonic_ns()
        if left > 0:
            milliseconds = -(-left // 1_000_000)
            self.server.loop.call_later(milliseconds / 1000, self.reply_at, due, reply, ends)
        elif not self.transport.is_closing():
            self.transport.resume_reading()
            self.reply(reply, ends)

    def reply(self, reply, ends):
        if reply:
            self.transport.write(reply)
        if ends:
            os._exit(0)

    def pause_writing(self):
        self.transport.pause_reading()

    def resume_writing(self):
        if not self.transport.is_closing():
            self.transport.resume_reading()


def quiet_about_clients(loop, context):
    """Ignores errors of connections; reports all others."""
    if not isinstance(context.get("exception"), OSError):
        loop.default_exception_handler(context)


def new_loop(options):
    if options.loop == "asyncio":
        return asyncio.new_event_loop()
    try:
        import uvloop  # noqa: PLC0415
    except ImportError as error:
        say(options.name, f"{error}: build it (npm run servers -- build python-uvloop) and run build/venv/bin/python")
        raise SystemExit(1) from None
    return uvloop.new_event_loop()


def main():
    parser = option_parser("python-asyncio", "asyncio: transports and protocols, one thread.")
    parser.add_argument("--loop", choices=("asyncio", "uvloop"), default="asyncio", help="(default %(default)s)")
    options = parse_options(parser)
    options.name = f"python-{options.loop}"
    loop = new_loop(options)
    asyncio.set_event_loop(loop)
    listener = open_listener(options)
    announce(options, listener)
    Server(options, listener, loop).run()


if __name__ == "__main__":
    main()
