"""Simulated work of each request. `begin` itself does what holds the thread (block, spin); it returns the time to
wait, and the server waits as its model does."""

import random
import time

WORK_KINDS = ("wait", "block", "spin")


class Work:
    """Times uniform in [low, high], drawn from a seed; `times` None or all zero: no work. `look_up` is called about
    every 10 us while spinning."""

    def __init__(self, times, kind, seed, look_up=lambda: None):
        self.low, self.high = times or (0, 0)
        self.kind = kind
        self.random = random.Random(seed)
        self.look_up = look_up

    def begin(self, requests):
        """Nanoseconds to wait before the reply to this many requests."""
        if not self.high or not requests:
            return 0
        total = sum(self.random.randint(self.low, self.high) for _ in range(requests))
        if self.kind == "wait":
            return total
        if self.kind == "block":
            sleep_ns(total)
        else:
            spin(total, self.look_up)
        return 0


def sleep_ns(count):
    """Sleeps in a system call without the interpreter lock; signals do not shorten it."""
    time.sleep(count / 1e9)


def spin(count, look_up):
    """Computes until this thread has used this many nanoseconds of CPU time."""
    end = time.thread_time_ns() + count
    while time.thread_time_ns() < end:
        for _ in range(500):
            pass
        look_up()
