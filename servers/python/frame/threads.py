"""How many threads a server may start. One that takes the last task makes the machine unusable, so some tasks and
memory are left to other programs. client/plan/limits/server.js predicts the same ceiling."""

import math
import os
import re
import resource
from pathlib import Path

HEADROOM = 1000
# A thread with its connection, as in the C servers: touched stack and interpreter state (12 to 24 KiB measured),
# kernel stack, both ends of a socket.
THREAD_BYTES = 48 * 1024
# Version 2 of the interface, and version 1, where "no limit" is a number near 2^63.
MEMORY_MOST = ["memory.max", "memory.limit_in_bytes"]
MEMORY_USED = ["memory.current", "memory.usage_in_bytes"]


def threads_to_spare():
    """Threads that may be started: what the machine, the control groups, `ulimit -u` and vm.max_map_count allow,
    less HEADROOM (half, where there are few), and what fits into half of the free memory."""
    left = min(machine_tasks_left(), group_room("pids", ["pids.max"], ["pids.current"]))
    limit, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if os.geteuid() != 0 and limit != resource.RLIM_INFINITY:
        left = min(left, limit)
    ceiling = left - min(HEADROOM, left / 2)
    # A thread's stack and its guard page are two mappings.
    ceiling = min(ceiling, (number_in("/proc/sys/vm/max_map_count") - HEADROOM) / 2)
    ceiling = min(ceiling, memory_left() / 2 / THREAD_BYTES)
    return max(1, int(min(ceiling, 1 << 30)))


def machine_tasks_left():
    most = min(number_in("/proc/sys/kernel/pid_max"), number_in("/proc/sys/kernel/threads-max"))
    running = text_of("/proc/loadavg").partition("/")[2].partition(" ")[0]  # "0.10 0.20 0.30 1/234 5678"
    return max(0, most - int(running or 0))


def memory_left():
    """Free bytes, or the smaller remainder of the control groups."""
    available = re.search(r"^MemAvailable: +([0-9]+) kB", text_of("/proc/meminfo"), re.MULTILINE)
    free = int(available[1]) * 1024 if available else math.inf
    return min(free, group_room("memory", MEMORY_MOST, MEMORY_USED))


def group_room(controller, most, used):
    """The smallest remainder of the control groups of this process; the groups above count too. Lines of
    /proc/self/cgroup: "0::/path" in version 2 of the interface, "8:pids:/path" in version 1."""
    least = math.inf
    for row in text_of("/proc/self/cgroup").splitlines():
        _, controllers, path = row.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        top = Path("/sys/fs/cgroup", controller if controllers else "")
        bottom = top / path.lstrip("/")
        for folder in (bottom, *bottom.parents):
            if folder != top and top not in folder.parents:
                break
            allowed = min(number_in(folder / name) for name in most)
            taken = min(number_in(folder / name) for name in used)
            if taken < math.inf:
                least = min(least, max(0, allowed - max(0, taken - reclaimable(folder))))
    return least


def reclaimable(folder):
    """Page cache that the kernel reclaims when necessary."""
    found = re.search("^inactive_file ([0-9]+)$", text_of(folder / "memory.stat"), re.MULTILINE)
    return int(found[1]) if found else 0


def number_in(path):
    """The number in a file of the kernel; infinity if there is none ("max", no such file)."""
    text = text_of(path).strip()
    return int(text) if text.isdigit() else math.inf


def text_of(path):
    try:
        return Path(path).read_text()
    except OSError:
        return ""
