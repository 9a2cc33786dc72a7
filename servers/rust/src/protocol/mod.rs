//! The protocols: bytes in, bytes out, in place. A model reads to `HEADROOM` of its buffer, passes headroom and
//! input, and finds the reply in the same buffer; a protocol sees no descriptor and never blocks.

mod echo;
mod volley;

use std::ops::Range;

/// Bytes before the input that belong to the protocol: it may have kept that many of the previous read.
pub const HEADROOM: usize = 3;

/// The result for the bytes of one read.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// Where in the buffer the reply is; may be empty.
    pub reply: Range<usize>,
    /// How many requests it answers, for simulated work.
    pub requests: u64,
    /// End the whole server with exit status 0 after the reply is sent.
    pub ends_server: bool,
}

/// The state of a protocol for one connection.
pub trait Conversation: Send {
    /// Answers the bytes after the first `HEADROOM` of `buffer`, at least one, and consumes all of them.
    fn answer(&mut self, buffer: &mut [u8]) -> Answer;
}

/// The options for protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Echo,
    /// `stop`: a word of zero ends the server.
    Volley {
        stop: bool,
    },
}

/// Every protocol by its name; the first is the default.
pub const PROTOCOLS: [(&str, Protocol); 2] = [("echo", Protocol::Echo), ("volley", Protocol::Volley { stop: false })];

impl Protocol {
    pub fn find(name: &str) -> Option<Protocol> {
        PROTOCOLS.iter().find(|(each, _)| *each == name).map(|(_, protocol)| *protocol)
    }

    pub fn name(self) -> &'static str {
        match self {
            Protocol::Echo => "echo",
            Protocol::Volley { .. } => "volley",
        }
    }

    /// The names of all, separated by ", ".
    pub fn names() -> String {
        PROTOCOLS.map(|(name, _)| name).join(", ")
    }

    /// The state of a new connection.
    pub fn start(self) -> Box<dyn Conversation> {
        match self {
            Protocol::Echo => Box::new(echo::Echo),
            Protocol::Volley { stop } => Box::new(volley::Volley::new(stop)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_each_by_its_name() {
        for (name, protocol) in PROTOCOLS {
            assert_eq!((protocol.name(), Protocol::find(name)), (name, Some(protocol)));
        }
        assert_eq!(Protocol::find("http"), None);
    }
}
