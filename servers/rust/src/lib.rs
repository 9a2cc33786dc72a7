//! What the Rust servers share: command line, limits, listener, protocols, simulated work. Nothing here serves a
//! connection: the accept loops, reads and writes are in `src/bin/`, in plain sight, because the concurrency model is
//! what is measured.

pub mod control_group;
pub mod launch;
pub mod limits;
pub mod listener;
pub mod options;
pub mod protocol;
pub mod work;

/// Maximum number of bytes per read. The reply fits into as many bytes plus `protocol::HEADROOM`.
pub const READ_BYTES: usize = 32 * 1024;
