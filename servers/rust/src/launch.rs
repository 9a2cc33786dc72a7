//! From the command line to a listening socket, and the end. SIGTERM and SIGINT end the process from within their
//! handler, so a server under full load, or asleep in its work, ends as fast as an idle one.

use crate::limits::raise_descriptors;
use crate::listener::{announce, open};
use crate::options::{parse, usage, Options, Program, Wish};
use std::io::{self, Write};
use std::net::TcpListener;

/// Exit statuses.
pub const FAILED: i32 = 1;
const MISUSED: i32 = 2;

/// A listening socket, or the exit status after the error has been printed.
pub fn launch(program: &Program) -> Result<(Options, TcpListener), i32> {
    let options = match parse(program, std::env::args_os().skip(1)) {
        Ok(Wish::Serve(options)) => options,
        Ok(Wish::Help) => return Err(print(program, &usage(program)).map_or_else(|status| status, |()| 0)),
        Err(reason) => {
            say(program, &format!("{reason} (--help lists the options)"));
            return Err(MISUSED);
        }
    };
    install_signals();
    raise_descriptors();
    match open(&options.host, options.port, options.backlog) {
        Ok(listener) => Ok((options, listener)),
        Err(error) => {
            say(program, &format!("cannot listen on {} port {}: {error}", options.host, options.port));
            Err(FAILED)
        }
    }
}

/// Prints the ready line; the error is the exit status.
pub fn print_ready(program: &Program, options: &Options, listener: &TcpListener) -> Result<(), i32> {
    match announce(options.protocol.name(), listener) {
        Ok(line) => print(program, &line),
        Err(error) => {
            say(program, &format!("the listener has no address: {error}"));
            Err(FAILED)
        }
    }
}

fn print(program: &Program, text: &str) -> Result<(), i32> {
    let mut stdout = io::stdout();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| {
        say(program, &format!("stdout: {error}"));
        FAILED
    })
}

/// A line on stderr, in one write.
pub fn say(program: &Program, what: &str) {
    // Errors are ignored: stderr may be closed.
    let _ = io::stderr().write_all(format!("{}: {what}\n", program.name).as_bytes());
}

extern "C" fn end(_signal: libc::c_int) {
    // SAFETY: _exit may be called from a signal handler.
    unsafe { libc::_exit(0) }
}

fn install_signals() {
    let handler = end as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // SAFETY: the handler calls nothing but _exit. A reset connection must not end the server by SIGPIPE; Rust's
    // start-up ignores it, but rust-threads has none.
    unsafe {
        libc::signal(libc::SIGTERM, handler);
        libc::signal(libc::SIGINT, handler);
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
    }
}
