"""`python3 -m unittest` in this folder: the volley codec, the command line and simulated work, without sockets.
test/contract tests the bytes on the wire against the running servers."""

import contextlib
import io
import random
import time
import unittest

from frame.options import option_parser, parse_options
from frame.protocols import Volley
from frame.work import Work

MISTAKES = [
    ["--port", "65536"],
    ["--port", "1_0"],
    ["--port", " 1"],
    ["--port", ""],
    ["-p", "-1"],
    ["--bogus"],
    ["--por", "1"],
    ["extra"],
    ["--protocol", "ace"],
    ["--backlog", "0"],
    ["--work-kind", "spin"],
    ["--work-seed", "0"],
    ["--volley-stop"],
    ["--work", "1ms", "--work-kind", "sleep"],
    ["--work-seed", "9007199254740993"],
    *(
        ["--work", text]
        for text in ("5", "5m", "2ms-1ms", "-1ms", "1ms-", "3601s", "1e3ms", "1s1ms", "", "1ms-2ms-3ms")
    ),
]


class VolleyCodec(unittest.TestCase):
    def answers(self, pieces, expected, ends=False, stops=False):
        conversation = Volley(stops)
        answers = [conversation.answer(bytes.fromhex(piece)) for piece in pieces]
        self.assertEqual(b"".join(reply for reply, _, _ in answers).hex(), expected)
        self.assertEqual(sum(requests for _, requests, _ in answers), len(expected) // 8)
        self.assertEqual(answers[-1][2], ends)

    def test_words(self):
        self.answers(["00000001"], "00000002")
        self.answers(["ffffffff7fffffffffffffff00ffffff"], "00000000800000000000000001000000")
        self.answers(["00", "0000", "07000000", "05ff"], "0000000800000006")
        self.answers(["00"], "")

    def test_zero(self):
        self.answers(["00000000"], "00000001")
        self.answers(["00000000"], "", ends=True, stops=True)
        self.answers(["000000", "00"], "", ends=True, stops=True)
        self.answers(["000000090000000000000003"], "0000000a", ends=True, stops=True)
        self.answers(["0000010000000001"], "0000010100000002", stops=True)

    def test_as_arithmetic_does(self):
        words = [random.getrandbits(32) for _ in range(1000)]
        sent = b"".join(word.to_bytes(4, "big") for word in words)
        expected = b"".join(((word + 1) % 2**32).to_bytes(4, "big") for word in words)
        self.assertEqual(Volley().answer(sent), (expected, 1000, False))


class CommandLine(unittest.TestCase):
    def test_what_is_read(self):
        words = [
            "-p",
            "7",
            "--work=1.5ms-2s",
            "--work-kind",
            "spin",
            "--work-seed=0",
            "--volley-stop",
            "--protocol=volley",
        ]
        options = parse_options(option_parser("tried", ""), words)
        self.assertEqual((options.port, options.work, options.work_seed), (7, (1_500_000, 2_000_000_000), 0))
        self.assertEqual((options.work_kind, options.volley_stop, options.name), ("spin", True, "tried"))

    def test_mistakes(self):
        for words in MISTAKES:
            said = io.StringIO()
            with self.subTest(words), self.assertRaises(SystemExit) as ending, contextlib.redirect_stderr(said):
                parse_options(option_parser("tried", ""), words)
            self.assertEqual(ending.exception.code, 2)
            self.assertIn("tried: error: ", said.getvalue())


class WorkTimes(unittest.TestCase):
    def test_drawn_from_the_seed(self):
        first, again, other = (Work((10, 20), "wait", seed) for seed in (1, 1, 2))
        drawn = [first.begin(1) for _ in range(200)]
        self.assertEqual(drawn, [again.begin(1) for _ in drawn])
        self.assertNotEqual(drawn, [other.begin(1) for _ in drawn])
        self.assertEqual(set(drawn), set(range(10, 21)))

    def test_sum_of_several(self):
        self.assertEqual(Work((10, 10), "wait", 1).begin(3), 30)
        self.assertEqual(Work(None, "wait", 1).begin(3), 0)

    def test_held_here(self):
        for kind, clock in (("block", time.monotonic_ns), ("spin", time.thread_time_ns)):
            before = clock()
            self.assertEqual(Work((10_000_000, 10_000_000), kind, 1).begin(2), 0)
            self.assertGreaterEqual(clock() - before, 20_000_000)


if __name__ == "__main__":
    unittest.main()
