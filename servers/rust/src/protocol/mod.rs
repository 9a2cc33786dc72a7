//! The protocols, which answer bytes with bytes.
//! The one thing to know: they work in place. A model reads to `HEADROOM` of its buffer, hands over headroom and bytes,
//! and finds the reply in the same buffer; a protocol sees no descriptor and never blocks.

mod echo;
mod volley;

use std::ops::Range;

/// Bytes before the ones read, which belong to the protocol: it may have kept so many of the read before.
pub const HEADROOM: usize = 3;

/// What is to be done about the bytes of one read.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// Where in the buffer the reply is; it may be empty.
    pub reply: Range<usize>,
    /// How many requests it answers, for business work is done once for each.
    pub requests: u64,
    /// End the whole server with exit status 0 once the reply is sent.
    pub ends_server: bool,
}

/// One connection, as its protocol sees it.
pub trait Conversation: Send {
    /// Answers the bytes after the first `HEADROOM` of `buffer`, at least one, all of which are consumed.
    fn answer(&mut self, buffer: &mut [u8]) -> Answer;
}

/// What the command line says of protocols.
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

    /// A conversation that begins.
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
