"""A thread per connection, blocking calls. All threads share the interpreter lock. A thread releases it while it
reads, writes or sleeps, so waiting is parallel and computing is not."""

import os
import socket
import threading
import time

from frame.listener import ACCEPT_PAUSE_SECONDS, announce, open_listener, reason, say, signalled_flag
from frame.options import number, option_parser, parse_options
from frame.protocols import PROTOCOLS
from frame.threads import threads_to_spare
from frame.work import Work, sleep_ns

READ_BYTES = 32 * 1024
STACK_BYTES = 256 * 1024


class Server:
    """The acceptor, on the main thread, which handles signals."""

    def __init__(self, options, listener):
        self.options = options
        self.listener = listener
        self.converse = PROTOCOLS[options.protocol]
        self.signalled = signalled_flag()
        self.work = Work(options.work, options.work_kind, options.work_seed, self.exit_if_signalled)
        self.places = threading.Semaphore(options.max_children or threads_to_spare())
        self.said = False

    def run(self):
        while True:
            if not self.places.acquire(blocking=False):
                self.say_once(
                    "maximum of threads (--max-children) reached: further connections wait in the accept queue"
                )
                self.places.acquire()
            connection = self.accept()
            self.start_thread(connection)

    def accept(self):
        """The next connection. Without free descriptors or memory it pauses before it tries again, so that it does
        not spin."""
        while True:
            try:
                return self.listener.accept()[0]
            except ConnectionAbortedError:
                continue
            except OSError as error:
                self.say_once(f"accept: further connections wait in the accept queue: {reason(error)}")
                time.sleep(ACCEPT_PAUSE_SECONDS)

    def start_thread(self, connection):
        while True:
            try:
                return threading.Thread(target=self.serve, args=(connection,), daemon=True).start()
            except RuntimeError as error:  # the kernel refused the thread; the limit may ease
                self.say_once(f"starting a thread: further connections wait in the accept queue: {error}")
                time.sleep(ACCEPT_PAUSE_SECONDS)

    def serve(self, connection):
        try:
            with connection:
                self.converse_with(connection)
        except OSError:
            pass  # the client has closed
        finally:
            self.places.release()

    def converse_with(self, connection: socket.socket):
        """A half-closed client has received all its replies when the end of its input is read."""
        conversation = self.converse(self.options.volley_stop)
        while data := connection.recv(READ_BYTES):
            self.exit_if_signalled()
            data, requests, ends = conversation.answer(data)  # only the reply is kept
            left = self.work.begin(requests)
            if left:
                sleep_ns(left)
            connection.sendall(data)
            if ends:
                os._exit(0)

    def exit_if_signalled(self):
        if self.signalled[0]:
            os._exit(0)

    def say_once(self, what):
        if not self.said:
            self.said = True
            say(self.options.name, what)


def main():
    parser = option_parser("python-threads", "A thread per connection, blocking calls.")
    text = "most connections served at once (default: what the machine's limits leave)"
    parser.add_argument("--max-children", type=number(1, 1 << 30), metavar="N", help=text)
    options = parse_options(parser)
    listener = open_listener(options)
    threading.stack_size(STACK_BYTES)
    announce(options, listener)
    Server(options, listener).run()


if __name__ == "__main__":
    main()
