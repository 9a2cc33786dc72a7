"""The protocols of servers/PROTOCOLS.md: bytes in, bytes out. An object holds the state of one connection between
two reads; it sees no socket."""

WORD_BYTES = 4


class Echo:
    """There are no frames: the bytes of one read count as one request."""

    __slots__ = ()

    def __init__(self, volley_stop=False):
        """Echo has no word that ends the server."""

    def answer(self, data):
        """(reply, requests that it answers, whether the server ends once it is written)."""
        return data, 1, False


class Volley:
    """One added to each word, modulo 2^32; with volley_stop a word of zero ends the server."""

    __slots__ = ("rest", "stops")

    def __init__(self, volley_stop=False):
        self.stops = volley_stop
        self.rest = b""  # of an incomplete word

    def answer(self, data):
        """As Echo.answer."""
        data = self.rest + data
        whole = len(data) - len(data) % WORD_BYTES
        self.rest = data[whole:]
        words = data[:whole]
        before_zero = words_before_zero(words) if self.stops else None
        if before_zero is not None:
            words = words[: before_zero * WORD_BYTES]
        return incremented(words), len(words) // WORD_BYTES, before_zero is not None


def words_before_zero(words):
    """The number of words before the first zero; None without one."""
    return next((at for at, word in enumerate(memoryview(words).cast("I")) if not word), None)


def incremented(words):
    """Adds one to all words at once, as one number of 32-bit lanes: the low 31 bits of each lane take the carry, and
    the top bits are added without carry. An object per word would take ten times as long and half a megabyte."""
    ones = int.from_bytes(b"\x00\x00\x00\x01" * (len(words) // WORD_BYTES), "big")
    tops = ones << 31
    number = int.from_bytes(words, "big")
    return (((number & tops - ones) + ones) ^ (number & tops)).to_bytes(len(words), "big")


PROTOCOLS = {"echo": Echo, "volley": Volley}
