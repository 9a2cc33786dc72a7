//! Simulated work: how long a request is worked on, and how. This draws the times; waiting depends on the model (a
//! thread sleeps, a task is woken), while blocking and spinning are the same for all.

use std::time::Duration;

const LONGEST: Duration = Duration::from_secs(3600);
/// The names of the kinds, as `--work-kind` takes them.
pub const KINDS: [(&str, Kind); 3] = [("wait", Kind::Wait), ("block", Kind::Block), ("spin", Kind::Spin)];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The reply is sent after the time; the thread serves others meanwhile if the model allows.
    Wait,
    /// The thread sleeps in a system call.
    Block,
    /// The thread uses that much CPU time.
    Spin,
}

/// Uniform between lowest and highest, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    pub kind: Kind,
    pub seed: u64,
    lowest_ns: u64,
    highest_ns: u64,
}

impl Work {
    /// Parses "30ms-50ms" or "1.5ms"; None for anything else, in the wrong order, or above an hour.
    pub fn parse(text: &str, kind: Kind, seed: u64) -> Option<Work> {
        let (lowest, highest) = text.split_once('-').unwrap_or((text, text));
        let (lowest_ns, highest_ns) = (nanoseconds(lowest)?, nanoseconds(highest)?);
        (lowest_ns <= highest_ns).then_some(Work { kind, seed, lowest_ns, highest_ns })
    }

    /// The times of the connection with this number: the same for the same seed, different for each connection.
    pub fn times_of(self, connection: u64) -> Times {
        let first = Random(self.seed).next().wrapping_add(connection);
        Times { work: self, random: Random(Random(first).next()) }
    }
}

/// The times of one connection's requests, one after another.
pub struct Times {
    work: Work,
    random: Random,
}

impl Times {
    pub fn kind(&self) -> Kind {
        self.work.kind
    }

    /// Does the work of this many requests, except waiting: then returns how long to wait.
    pub fn spend(&mut self, requests: u64) -> Duration {
        let time = self.next(requests);
        match self.kind() {
            Kind::Wait => return time,
            Kind::Block => std::thread::sleep(time),
            Kind::Spin => spin(time),
        }
        Duration::ZERO
    }

    /// The time of this many requests.
    pub fn next(&mut self, requests: u64) -> Duration {
        Duration::from_nanos((0..requests).map(|_| self.next_ns()).sum())
    }

    fn next_ns(&mut self) -> u64 {
        let Work { lowest_ns, highest_ns, .. } = self.work;
        let width = u128::from(highest_ns - lowest_ns + 1);
        lowest_ns + ((u128::from(self.random.next()) * width) >> 64) as u64
    }
}

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): 8 bytes per connection.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// Parses a decimal number with a unit, which is mandatory.
fn nanoseconds(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|each: char| each.is_ascii_alphabetic())?);
    let unit_ns = match unit {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    let is_digit = |each: Option<char>| each.map_or(false, |each| each.is_ascii_digit());
    let is_plain = number.chars().all(|each| each.is_ascii_digit() || each == '.');
    if !is_plain || !is_digit(number.chars().next()) || !is_digit(number.chars().last()) {
        return None;
    }
    let ns = (number.parse::<f64>().ok()? * unit_ns).round();
    (ns <= LONGEST.as_nanos() as f64).then_some(ns as u64)
}

/// Computes until this thread has used this much more CPU time.
pub fn spin(time: Duration) {
    let end = thread_time() + time;
    while thread_time() < end {}
}

fn thread_time() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid timespec. The call fails only for an unknown clock, and Linux has this one.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) };
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> Option<(u64, u64)> {
        Work::parse(text, Kind::Wait, 1).map(|work| (work.lowest_ns, work.highest_ns))
    }

    #[test]
    fn reads_durations_and_ranges() {
        assert_eq!(range("30ms-50ms"), Some((30_000_000, 50_000_000)));
        assert_eq!(range("1.5ms"), Some((1_500_000, 1_500_000)));
        assert_eq!(range("0ms"), Some((0, 0)));
        assert_eq!(range("0.3us-2s"), Some((300, 2_000_000_000)));
        assert_eq!(range("7ns"), Some((7, 7)));
        assert_eq!(range("3600s"), Some((3_600_000_000_000, 3_600_000_000_000)));
    }

    #[test]
    fn refuses_the_rest() {
        let wrong = [
            "",
            "5",
            "ms",
            "-5ms",
            "5ms-",
            "5 ms",
            "5m",
            "5MS",
            "5ms-4ms",
            "1ms-2ms-3ms",
            "1e3ms",
            ".5ms",
            "5.ms",
            "1.2.3ms",
            "+5ms",
            "inf s",
            "3600.1s",
            "99999999999999999999s",
            "5msx",
            "٣ms",
        ];
        for text in wrong {
            assert_eq!(range(text), None, "{text}");
        }
    }

    #[test]
    fn draws_uniformly_from_lowest_to_highest() {
        let work = Work::parse("3ns-6ns", Kind::Wait, 1).unwrap();
        let mut counts = [0; 10];
        let mut times = work.times_of(0);
        for _ in 0..4000 {
            counts[times.next(1).as_nanos() as usize] += 1;
        }
        assert_eq!(counts.iter().sum::<i32>(), counts[3..=6].iter().sum());
        assert!(counts[3..=6].iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn repeats_itself_for_a_seed_and_differs_by_seed_and_connection() {
        let drawn = |seed, connection| {
            let mut times = Work::parse("0ns-3600s", Kind::Wait, seed).unwrap().times_of(connection);
            [times.next(1), times.next(1), times.next(1)]
        };
        assert_eq!(drawn(1, 0), drawn(1, 0));
        assert_ne!(drawn(1, 0), drawn(2, 0));
        assert_ne!(drawn(1, 0), drawn(1, 1));
        assert_ne!(drawn(1, 0), drawn(0, 1), "seed and connection are not one number");
    }

    #[test]
    fn adds_up_the_times_of_several_requests() {
        let work = Work::parse("10ms", Kind::Wait, 1).unwrap();
        assert_eq!(work.times_of(0).next(5), Duration::from_millis(50));
        assert_eq!(work.times_of(0).next(0), Duration::ZERO);
    }

    #[test]
    fn spins_for_as_much_processor_time_as_asked() {
        let before = thread_time();
        spin(Duration::from_millis(20));
        let used = thread_time() - before;
        assert!(used >= Duration::from_millis(20), "{used:?}");
    }
}
