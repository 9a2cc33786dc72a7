//! volley: the reply to a big-endian word n of 4 bytes is n + 1 modulo 2^32. Up to three bytes of an incomplete word
//! are kept and put before the next input.

use super::{Answer, Conversation, HEADROOM};

const WORD_BYTES: usize = 4;

pub struct Volley {
    stop: bool,
    kept: [u8; HEADROOM],
    kept_count: usize,
}

impl Volley {
    /// `stop`: a word of zero ends the server.
    pub fn new(stop: bool) -> Volley {
        Volley { stop, kept: [0; HEADROOM], kept_count: 0 }
    }
}

impl Conversation for Volley {
    fn answer(&mut self, buffer: &mut [u8]) -> Answer {
        let from = HEADROOM - self.kept_count;
        buffer[from..HEADROOM].copy_from_slice(&self.kept[..self.kept_count]);
        let mut words = buffer[from..].chunks_exact_mut(WORD_BYTES);
        let mut requests = 0;
        for word in &mut words {
            let number = u32::from_be_bytes([word[0], word[1], word[2], word[3]]);
            if number == 0 && self.stop {
                return Answer {
                    reply: from..from + requests * WORD_BYTES,
                    requests: requests as u64,
                    ends_server: true,
                };
            }
            word.copy_from_slice(&number.wrapping_add(1).to_be_bytes());
            requests += 1;
        }
        let rest = words.into_remainder();
        self.kept[..rest.len()].copy_from_slice(rest);
        self.kept_count = rest.len();
        Answer { reply: from..from + requests * WORD_BYTES, requests: requests as u64, ends_server: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reply to the pieces, how many requests that were, and whether the server was ended.
    fn converse(stop: bool, pieces: &[&[u8]]) -> (Vec<u8>, u64, bool) {
        let mut volley = Volley::new(stop);
        let (mut replies, mut requests) = (Vec::new(), 0);
        for piece in pieces {
            let mut buffer = [&[0xee; HEADROOM], *piece].concat();
            let answer = volley.answer(&mut buffer);
            replies.extend_from_slice(&buffer[answer.reply]);
            requests += answer.requests;
            if answer.ends_server {
                return (replies, requests, true);
            }
        }
        (replies, requests, false)
    }

    #[test]
    fn adds_one_and_wraps_around() {
        let words = [0, 1, 0xff, 0xffff, 0x00ff_ffff, 0x0100_0000, 0xffff_fffe, 0xffff_ffff_u32];
        for word in words {
            let reply = word.wrapping_add(1).to_be_bytes().to_vec();
            assert_eq!(converse(false, &[&word.to_be_bytes()]), (reply, 1, false));
        }
    }

    #[test]
    fn answers_words_that_came_together_in_order() {
        let expected = (vec![0, 0, 0, 8, 0, 0, 0, 6, 0, 0, 0, 0], 3, false);
        assert_eq!(converse(false, &[&[0, 0, 0, 7, 0, 0, 0, 5, 255, 255, 255, 255]]), expected);
    }

    #[test]
    fn puts_words_together_however_they_are_split() {
        let sent: Vec<u8> = (1..=16).collect();
        let expected = (vec![1, 2, 3, 5, 5, 6, 7, 9, 9, 10, 11, 13, 13, 14, 15, 17], 4, false);
        for first in 1..15 {
            for second in first + 1..16 {
                let pieces = [&sent[..first], &sent[first..second], &sent[second..]];
                assert_eq!(converse(false, &pieces), expected, "split at {first} and {second}");
            }
        }
        let bytes: Vec<&[u8]> = sent.chunks(1).collect();
        assert_eq!(converse(false, &bytes), expected);
    }

    #[test]
    fn keeps_an_unfinished_word_unanswered() {
        assert_eq!(converse(false, &[&[0, 0, 0, 9, 0, 0]]), (vec![0, 0, 0, 10], 1, false));
    }

    #[test]
    fn ends_the_server_at_zero_when_told_so() {
        let sent: [&[u8]; 2] = [&[0, 0, 0, 1, 0, 0], &[0, 0, 0, 0, 0, 5]];
        assert_eq!(converse(true, &sent), (vec![0, 0, 0, 2], 1, true));
        assert_eq!(converse(false, &sent), (vec![0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 6], 3, false));
    }
}
