//! The command line of the servers. An option that the model does not have, or that has no effect with the others,
//! is rejected with exit status 2, not ignored.

use crate::protocol::Protocol;
use crate::work::{Kind, Work, KINDS};
use lexopt::prelude::*;
use std::ffi::OsString;

const THREADS_MOST: u64 = 1024;
const SEED_MOST: u64 = 1 << 53;

/// What distinguishes the programs.
pub struct Program {
    pub name: &'static str,
    pub summary: &'static str,
    pub takes_max_children: bool,
    pub takes_threads: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub host: String,
    /// 0: the kernel chooses
    pub port: u16,
    pub backlog: i32,
    pub protocol: Protocol,
    pub work: Option<Work>,
    pub max_children: Option<usize>,
    pub threads: Option<usize>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Wish {
    Serve(Options),
    Help,
}

/// `words` are the arguments without the program's name.
pub fn parse<W>(program: &Program, words: W) -> Result<Wish, lexopt::Error>
where
    W: IntoIterator,
    W::Item: Into<OsString>,
{
    let mut options = Options {
        host: "127.0.0.1".to_owned(),
        port: 0,
        backlog: 4096,
        protocol: Protocol::Echo,
        work: None,
        max_children: None,
        threads: None,
    };
    let (mut work, mut kind, mut seed, mut volley_stop) = (None, None, None, false);
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(argument) = parser.next()? {
        match argument {
            Short('p') | Long("port") => options.port = number(&mut parser, "--port", 0, 65535)? as u16,
            Long("host") => options.host = parser.value()?.string()?,
            Long("backlog") => options.backlog = number(&mut parser, "--backlog", 1, 1 << 30)? as i32,
            Long("protocol") => {
                let name = parser.value()?.string()?;
                let known = || refused("--protocol", &name, &Protocol::names());
                options.protocol = Protocol::find(&name).ok_or_else(known)?;
            }
            Long("volley-stop") => volley_stop = true,
            Long("work") => work = Some(parser.value()?.string()?),
            Long("work-kind") => kind = Some(kind_of(&parser.value()?.string()?)?),
            Long("work-seed") => seed = Some(number(&mut parser, "--work-seed", 0, SEED_MOST)?),
            Long("max-children") if program.takes_max_children => {
                options.max_children = Some(number(&mut parser, "--max-children", 1, 1 << 30)? as usize);
            }
            Long("threads") if program.takes_threads => {
                options.threads = Some(number(&mut parser, "--threads", 1, THREADS_MOST)? as usize);
            }
            Long("help") => return Ok(Wish::Help),
            unknown => return Err(unknown.unexpected()),
        }
    }
    match &mut options.protocol {
        Protocol::Volley { stop } => *stop = volley_stop,
        _ if volley_stop => return Err("--volley-stop: needs --protocol volley".into()),
        _ => {}
    }
    options.work = match work {
        Some(text) => {
            let expected = "a duration such as 1.5ms (ns, us, ms, s; at most 1 h), or a range of two such as 30ms-50ms";
            let read = Work::parse(&text, kind.unwrap_or(Kind::Wait), seed.unwrap_or(1));
            Some(read.ok_or_else(|| refused("--work", &text, expected))?)
        }
        None if kind.is_some() => return Err("--work-kind: needs --work".into()),
        None if seed.is_some() => return Err("--work-seed: needs --work".into()),
        None => None,
    };
    Ok(Wish::Serve(options))
}

fn refused(option: &str, value: &str, expected: &str) -> lexopt::Error {
    format!("{option} {value}: expected {expected}").into()
}

fn number(parser: &mut lexopt::Parser, option: &str, lowest: u64, highest: u64) -> Result<u64, lexopt::Error> {
    let text = parser.value()?.string()?;
    let is_plain = text.bytes().all(|each| each.is_ascii_digit());
    let read = text.parse().ok().filter(|read| is_plain && (lowest..=highest).contains(read));
    read.ok_or_else(|| refused(option, &text, &format!("{lowest} to {highest}")))
}

fn kind_of(name: &str) -> Result<Kind, lexopt::Error> {
    let found = KINDS.iter().find(|(each, _)| *each == name);
    found.map(|(_, kind)| *kind).ok_or_else(|| refused("--work-kind", name, &KINDS.map(|(each, _)| each).join(", ")))
}

/// What `--help` prints.
pub fn usage(program: &Program) -> String {
    let Program { name, summary, .. } = program;
    let protocols = Protocol::names();
    let mut text = format!(
        "Usage: {name} [options]
{summary}

  -p, --port N            port to listen on; 0: chosen by the kernel (default 0)
      --host ADDRESS      address to listen on (default 127.0.0.1)
      --backlog N         length of the accept queue, at most net.core.somaxconn (default 4096)
      --protocol NAME     one of: {protocols} (default echo)
      --volley-stop       with volley: a word of zero ends the server
      --work A-B          simulated work of each request, drawn from A to B, such as 30ms-50ms;
                          --work A: always A. Units: ns, us, ms, s (default: none)
      --work-kind KIND    wait: the reply is sent after that time (default); block: the thread sleeps;
                          spin: it uses that much CPU time
      --work-seed N       seed of the random numbers for --work, 0 to 2^53 (default 1)
"
    );
    if program.takes_max_children {
        text += "      --max-children N    maximum of threads, one per connection; further connections wait in the
                          accept queue
                          (default: what the machine's limits leave)
";
    }
    if program.takes_threads {
        text += "      --threads N         worker threads, 1 to 1024 (default: as many as there are processors for it)
";
    }
    text + "      --help              prints this text
"
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREADS: Program =
        Program { name: "threads", summary: "A test.", takes_max_children: true, takes_threads: false };
    const TASKS: Program =
        Program { name: "tasks", summary: "A test.", takes_max_children: false, takes_threads: true };

    fn options(program: &Program, line: &str) -> Options {
        match parse(program, line.split_whitespace()).unwrap() {
            Wish::Serve(options) => options,
            Wish::Help => panic!("{line} asks for help"),
        }
    }

    fn reason(program: &Program, line: &str) -> String {
        parse(program, line.split_whitespace()).unwrap_err().to_string()
    }

    #[test]
    fn has_defaults() {
        let Options { host, port, backlog, protocol, work, max_children, threads } = options(&TASKS, "");
        assert_eq!((host.as_str(), port, backlog, protocol.name()), ("127.0.0.1", 0, 4096, "echo"));
        assert_eq!((work, max_children, threads), (None, None, None));
    }

    #[test]
    fn takes_values_after_a_space_or_an_equals_sign() {
        for line in ["-p 7 --host ::1", "-p7 --host=::1", "--port=7 --host=::1", "--port 7 --host ::1"] {
            let options = options(&TASKS, line);
            assert_eq!((options.host.as_str(), options.port), ("::1", 7), "{line}");
        }
        assert_eq!(options(&TASKS, "--threads=3").threads, Some(3));
        assert_eq!(options(&THREADS, "--max-children 9").max_children, Some(9));
        assert_eq!(options(&THREADS, "--backlog 100").backlog, 100);
        assert_eq!(options(&TASKS, "--volley-stop --protocol volley").protocol, Protocol::Volley { stop: true });
        assert_eq!(options(&TASKS, "--protocol volley").protocol, Protocol::Volley { stop: false });
    }

    #[test]
    fn takes_work_in_any_order() {
        let expected = Work::parse("1ms-2ms", Kind::Spin, 7);
        assert_eq!(options(&TASKS, "--work-kind spin --work 1ms-2ms --work-seed 7").work, expected);
        assert_eq!(options(&TASKS, "--work 1ms").work, Work::parse("1ms", Kind::Wait, 1));
    }

    #[test]
    fn says_what_is_wrong() {
        let lines = [
            ("--port 65536", "--port 65536: expected 0 to 65535"),
            ("--port -1", "--port -1: expected 0 to 65535"),
            ("--port +1", "--port +1: expected 0 to 65535"),
            ("--port", "missing argument for option '--port'"),
            ("--backlog 0", "--backlog 0: expected 1 to 1073741824"),
            ("--protocol http", "--protocol http: expected echo, volley"),
            ("--work-kind sleep --work 1ms", "--work-kind sleep: expected wait, block, spin"),
            ("--work-kind spin", "--work-kind: needs --work"),
            ("--work-seed 5", "--work-seed: needs --work"),
            ("--work 1ms --work-seed 9007199254740993", "--work-seed 9007199254740993: expected 0 to 9007199254740992"),
            ("--volley-stop", "--volley-stop: needs --protocol volley"),
            ("--max-children 3", "invalid option '--max-children'"),
            ("--threads 0", "--threads 0: expected 1 to 1024"),
            ("--frobnicate", "invalid option '--frobnicate'"),
            ("surplus", "unexpected argument \"surplus\""),
        ];
        for (line, expected) in lines {
            assert_eq!(reason(&TASKS, line), expected);
        }
        assert_eq!(reason(&THREADS, "--threads 3"), "invalid option '--threads'");
        assert!(reason(&TASKS, "--work 2ms-1ms").starts_with("--work 2ms-1ms: expected a duration"));
    }

    #[test]
    fn helps_with_what_the_program_takes() {
        assert_eq!(parse(&TASKS, ["--help"]).unwrap(), Wish::Help);
        assert!(usage(&TASKS).contains("--threads") && !usage(&TASKS).contains("--max-children"));
        assert!(usage(&THREADS).contains("--max-children") && !usage(&THREADS).contains("--threads"));
    }
}
