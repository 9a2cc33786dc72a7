"""The protocols of servers/PROTOCOLS.md: bytes in, bytes out. The one thing to know: a conversation is what one
connection remembers between two reads; it sees no socket, and a server makes one for each connection."""

WORD_BYTES = 4


class Echo:
    """There is no frame to go by: what one read returned counts as one request."""

    __slots__ = ()

    def __init__(self, volley_stop=False):
        """Echo has no word that could stop the server."""

    def answer(self, data):
        """(reply, requests that it answers, whether the server ends once it is written)."""
        return data, 1, False


class Volley:
    """One added to each word, modulo 2^32; with volley_stop a word of zero ends the server."""

    __slots__ = ("rest", "stops")

    def __init__(self, volley_stop=False):
        self.stops = volley_stop
        self.rest = b""  # of an unfinished word

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
    """How many words come before the first of zero; None without one."""
    return next((at for at, word in enumerate(memoryview(words).cast("I")) if not word), None)


def incremented(words):
    """All words at once, as one number of 32-bit lanes: the low 31 bits of a lane take the carry, and the sum of the
    top bits is theirs without one. An object for each word would take ten times as long and half a megabyte."""
    ones = int.from_bytes(b"\x00\x00\x00\x01" * (len(words) // WORD_BYTES), "big")
    tops = ones << 31
    number = int.from_bytes(words, "big")
    return (((number & tops - ones) + ones) ^ (number & tops)).to_bytes(len(words), "big")


PROTOCOLS = {"echo": Echo, "volley": Volley}
