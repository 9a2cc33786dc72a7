//! What the Rust servers have in common: command line, limits, listener, protocols, business work.
//! The one thing to know: nothing here serves a connection. The accept loop, the reads and the writes are in
//! `src/bin/`, in plain sight, because the concurrency model is what is measured.

pub mod control_group;
pub mod launch;
pub mod limits;
pub mod listener;
pub mod options;
pub mod protocol;
pub mod work;

/// The most that one read takes. The reply to it fits into as many bytes and `protocol::HEADROOM`.
pub const READ_BYTES: usize = 32 * 1024;
