//! Limits of the servers: descriptors and, for threads, the machine's pids, mappings and memory. A server that takes
//! the last pid makes the machine unusable, so the default ceiling leaves `HEADROOM` tasks (half of them, where there
//! are few) and half of the memory to other programs. The C servers use the same rules (servers/c), and the client
//! predicts the ceiling (client/plan/limits/server.js).

use crate::control_group::{least_room, Controller};
use std::fs::read_to_string;
use std::path::Path;

const HEADROOM: u64 = 1000;
/// A thread with its connection: kernel stack, touched stack, both ends of a socket.
const THREAD_BYTES: u64 = 48 * 1024;
/// A thread's stack and its guard page.
const THREAD_MAPPINGS: u64 = 2;
/// Containers may allow 10^9 descriptors, more than anything needs a table for.
const DESCRIPTORS_MOST: libc::rlim_t = 1 << 20;

fn limit_of(resource: libc::__rlimit_resource_t) -> Option<libc::rlimit> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid rlimit.
    (unsafe { libc::getrlimit(resource, &mut limit) } == 0).then_some(limit)
}

/// Raises the soft descriptor limit to the hard one, up to a million. If that fails it stays as it is.
pub fn raise_descriptors() {
    if let Some(limit) = limit_of(libc::RLIMIT_NOFILE) {
        let raised = libc::rlimit { rlim_cur: limit.rlim_max.min(DESCRIPTORS_MOST), ..limit };
        // SAFETY: `raised` is a valid rlimit.
        unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raised) };
    }
}

/// How many threads this process may start without exhausting the machine's pids or memory.
pub fn threads_most() -> usize {
    let (root, groups) = (Path::new("/sys/fs/cgroup"), read_to_string("/proc/self/cgroup").unwrap_or_default());
    let room_of = |controller| least_room(root, &groups, controller);
    let tasks = tasks_left(room_of(Controller::Pids));
    let mappings = number_in("/proc/sys/vm/max_map_count").unwrap_or(u64::MAX);
    let memory = memory_available().unwrap_or(u64::MAX).min(room_of(Controller::Memory).unwrap_or(u64::MAX));
    let most = (tasks - HEADROOM.min(tasks / 2))
        .min(mappings.saturating_sub(HEADROOM) / THREAD_MAPPINGS)
        .min(memory / 2 / THREAD_BYTES);
    most.max(1) as usize
}

/// Tasks that can still be started. Existing tasks of the machine count against the machine's limits, those of a
/// control group against its own; tasks of the user are not counted.
fn tasks_left(of_groups: Option<u64>) -> u64 {
    let most = ["/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max"].into_iter().filter_map(number_in).min();
    let tasks = read_to_string("/proc/loadavg").ok().and_then(|text| tasks_in(&text)).unwrap_or(0);
    let of_machine = most.map(|most| most.saturating_sub(tasks));
    // SAFETY: geteuid has no preconditions.
    let is_root = unsafe { libc::geteuid() } == 0;
    let of_user = limit_of(libc::RLIMIT_NPROC).filter(|_| !is_root).map(|limit| limit.rlim_cur);
    [of_machine, of_groups, of_user].into_iter().flatten().min().unwrap_or(u64::MAX)
}

fn number_in(path: &str) -> Option<u64> {
    read_to_string(path).ok()?.trim().parse().ok()
}

/// The second number of the fourth word of /proc/loadavg: "0.20 0.18 0.12 1/80 11206".
fn tasks_in(loadavg: &str) -> Option<u64> {
    loadavg.split_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}

/// Memory available without paging.
fn memory_available() -> Option<u64> {
    let text = read_to_string("/proc/meminfo").ok()?;
    let row = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(row.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_tasks_of_the_machine() {
        assert_eq!(tasks_in("0.20 0.18 0.12 1/80 11206\n"), Some(80));
        assert_eq!(tasks_in("nonsense"), None);
    }

    #[test]
    fn counts_tasks_against_every_limit() {
        let left = tasks_left(None);
        assert!(left < number_in("/proc/sys/kernel/pid_max").unwrap());
        assert_eq!(tasks_left(Some(7)), 7.min(left));
    }

    #[test]
    fn leaves_room_for_at_least_one_thread_and_for_the_machine() {
        let most = threads_most() as u64;
        assert!(most >= 1);
        assert!(most * THREAD_BYTES <= memory_available().unwrap());
    }

    #[test]
    fn raises_descriptors_to_the_hard_limit() {
        raise_descriptors();
        let limit = limit_of(libc::RLIMIT_NOFILE).unwrap();
        assert_eq!(limit.rlim_cur, limit.rlim_max.min(DESCRIPTORS_MOST));
    }
}
