"""The command line. An error ends the process with status 2 and the reason on stderr."""

import argparse
import re
from decimal import Decimal

from .protocols import PROTOCOLS
from .work import WORK_KINDS

UNITS_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
LONGEST_NS = 3600 * UNITS_NS["s"]
TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ns|us|ms|s)")


def option_parser(name, summary):
    """A parser for the options of every server here; a server adds its own."""
    parser = argparse.ArgumentParser(prog=name, description=summary, allow_abbrev=False, add_help=False)
    add = parser.add_argument
    add("-p", "--port", type=number(0, 65535), default=0, metavar="N", help="port; 0 (default): chosen by the kernel")
    add("--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on (default %(default)s)")
    add("--backlog", type=number(1, 1 << 30), default=4096, metavar="N", help="length of the accept queue")
    add("--protocol", choices=sorted(PROTOCOLS), default="echo", help="protocol to speak (default %(default)s)")
    add("--volley-stop", action="store_true", help="with volley: a word of zero ends the server, unanswered")
    add("--work", type=times, metavar="A-B", help="simulated work of each request, drawn from A to B: 30ms-50ms")
    add("--work-kind", choices=WORK_KINDS, help="wait (default), block the thread, or spin: use CPU")
    add("--work-seed", type=number(0, 1 << 53), metavar="N", help="seed of the random numbers for --work")
    add("--help", action="help", help="prints this text")
    return parser


def parse_options(parser, words=None):
    """The options, including `name`; without --work, `work` is None."""
    options = parser.parse_args(words)
    for option, given, needs, there in (
        ("--work-kind", options.work_kind is not None, "--work", options.work),
        ("--work-seed", options.work_seed is not None, "--work", options.work),
        ("--volley-stop", options.volley_stop, "--protocol volley", options.protocol == "volley"),
    ):
        if given and not there:
            parser.error(f"argument {option}: expected together with {needs}")
    options.work_kind = options.work_kind or "wait"
    options.work_seed = 1 if options.work_seed is None else options.work_seed
    options.name = parser.prog
    return options


def number(low, high):
    """Parses integers of decimal digits only (int() would accept 1_000 and blanks)."""

    def read(text):
        if not re.fullmatch("[0-9]{1,17}", text) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"{text!r}: expected {low} to {high}")
        return int(text)

    return read


def times(text):
    """ "30ms-50ms" as two numbers of nanoseconds; "40ms" is both."""
    found = [TIME.fullmatch(each) for each in text.split("-")]
    if len(found) not in (1, 2) or None in found:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a time such as 1.5ms, or two, 30ms-50ms")
    low, high = (int(Decimal(each[1]) * UNITS_NS[each[2]]) for each in (found[0], found[-1]))
    if not low <= high <= LONGEST_NS:
        raise argparse.ArgumentTypeError(f"{text!r}: expected the shorter time first, and at most 3600s")
    return low, high
