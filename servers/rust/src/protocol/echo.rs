//! echo: every byte is sent back. There are no frames, so the bytes of one read count as one request.

use super::{Answer, Conversation, HEADROOM};

pub struct Echo;

impl Conversation for Echo {
    fn answer(&mut self, buffer: &mut [u8]) -> Answer {
        Answer { reply: HEADROOM..buffer.len(), requests: 1, ends_server: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_back_what_came() {
        let mut buffer = *b"___ab\0\xff";
        let answer = Echo.answer(&mut buffer);
        assert_eq!(&buffer[answer.reply], b"ab\0\xff");
        assert_eq!((answer.requests, answer.ends_server), (1, false));
    }
}
