//! N threads, each of which multiplexes its share of the connections with poll(2), as volley's server of this name. The
//! main thread accepts and hands the connections to the threads in turn. In volley's server a thread reads its
//! connections one after another and blocks in each read, so a silent client stops the others; here only what is
//! ready is read.

use broadside_servers::launch::{launch, print_ready, say, FAILED};
use broadside_servers::listener::{trouble_of, Trouble, ACCEPT_PAUSE};
use broadside_servers::options::{Options, Program};
use broadside_servers::protocol::{Conversation, HEADROOM};
use broadside_servers::work::Times;
use broadside_servers::READ_BYTES;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::io::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

const PROGRAM: Program = Program {
    name: "rust-multiplex",
    summary: "Threads that multiplex connections with poll(2).",
    takes_max_children: false,
    takes_threads: true,
};

/// The rest of a reply. Nothing is read from the connection until it is sent.
struct Owed {
    reply: Vec<u8>,
    /// Of simulated work: not before.
    due: Option<Instant>,
    ends_server: bool,
}

struct Connection {
    stream: TcpStream,
    conversation: Box<dyn Conversation>,
    times: Option<Times>,
    owed: Option<Owed>,
}

impl Connection {
    /// Reads once, answers, and sends what the kernel accepts. False at the end of the client's input.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<bool> {
        let count = match self.stream.read(&mut buffer[HEADROOM..]) {
            Ok(0) => return Ok(false),
            Ok(count) => count,
            Err(error) if is_passing(&error) => return Ok(true),
            Err(error) => return Err(error),
        };
        let answer = self.conversation.answer(&mut buffer[..HEADROOM + count]);
        let due_in = self.times.as_mut().map_or(Duration::ZERO, |times| times.spend(answer.requests));
        let reply = &buffer[answer.reply];
        let sent = if due_in.is_zero() { send(&mut self.stream, reply)? } else { 0 };
        if sent < reply.len() {
            let due = (!due_in.is_zero()).then(|| Instant::now() + due_in);
            self.owed = Some(Owed { reply: reply[sent..].to_vec(), due, ends_server: answer.ends_server });
        } else if answer.ends_server {
            std::process::exit(0);
        }
        Ok(true)
    }

    /// Sends what is due.
    fn write(&mut self) -> io::Result<()> {
        if let Some(owed) = &mut self.owed {
            owed.due = None;
            let sent = send(&mut self.stream, &owed.reply)?;
            owed.reply.drain(..sent);
            if owed.reply.is_empty() {
                if owed.ends_server {
                    std::process::exit(0);
                }
                self.owed = None;
            }
        }
        Ok(())
    }

    fn due(&self) -> Option<Instant> {
        self.owed.as_ref().and_then(|owed| owed.due)
    }

    /// What poll(2) shall wait for; a connection that is broken is reported in any case.
    fn events(&self) -> libc::c_short {
        match &self.owed {
            None => libc::POLLIN,
            Some(Owed { due: None, .. }) => libc::POLLOUT,
            Some(Owed { due: Some(_), .. }) => 0,
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// How many bytes the kernel accepts now. The stream does not block.
fn send(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<usize> {
    if bytes.is_empty() {
        return Ok(0);
    }
    match stream.write(bytes) {
        Err(error) if is_passing(&error) => Ok(0),
        other => other,
    }
}

/// A thread's connections.
struct Multiplexer {
    arrivals: Receiver<Connection>,
    wakeup: UnixStream,
    /// `polled[0]` is the wakeup, `polled[i + 1]` belongs to `connections[i]`.
    polled: Vec<libc::pollfd>,
    connections: Vec<Connection>,
    buffer: Box<[u8]>,
}

/// How the acceptor reaches a multiplexer.
struct Entrance {
    arrivals: Sender<Connection>,
    wakeup: UnixStream,
}

fn polled(fd: RawFd) -> libc::pollfd {
    libc::pollfd { fd, events: libc::POLLIN, revents: 0 }
}

impl Multiplexer {
    fn run(mut self) {
        loop {
            if let Err(error) = self.wait() {
                if error.kind() != io::ErrorKind::Interrupted {
                    say(&PROGRAM, &format!("poll: {error}"));
                    thread::sleep(ACCEPT_PAUSE);
                }
                continue;
            }
            let now = Instant::now();
            // Backwards: the last connection takes the place of one that is removed, and has been served.
            for place in (0..self.connections.len()).rev() {
                let is_due = self.connections[place].due().map_or(false, |due| due <= now);
                if (is_due || self.polled[place + 1].revents != 0) && !self.serve(place, is_due) {
                    self.polled.swap_remove(place + 1);
                    self.connections.swap_remove(place);
                }
            }
            if self.polled[0].revents != 0 {
                self.admit();
            }
        }
    }

    /// Waits until a connection is ready or a reply is due.
    fn wait(&mut self) -> io::Result<()> {
        let due = self.connections.iter().filter_map(Connection::due).min();
        let left = due.map(|due| due.saturating_duration_since(Instant::now()));
        let most = left.map(|left| libc::timespec {
            tv_sec: left.as_secs() as libc::time_t,
            tv_nsec: left.subsec_nanos() as libc::c_long,
        });
        let most = most.as_ref().map_or(std::ptr::null(), |most| most as *const libc::timespec);
        // SAFETY: the array has as many entries as stated, and `most` is null or points to the value above.
        let ready =
            unsafe { libc::ppoll(self.polled.as_mut_ptr(), self.polled.len() as libc::nfds_t, most, std::ptr::null()) };
        if ready < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// False when the connection has ended. An error of one connection does not affect the others.
    fn serve(&mut self, place: usize, is_due: bool) -> bool {
        let connection = &mut self.connections[place];
        let is_open = match connection.events() {
            libc::POLLIN => connection.read(&mut self.buffer).unwrap_or(false),
            libc::POLLOUT => connection.write().is_ok(),
            _ => is_due && connection.write().is_ok(),
        };
        self.polled[place + 1].events = connection.events();
        is_open
    }

    /// Takes the connections that the acceptor has handed over.
    fn admit(&mut self) {
        while matches!(self.wakeup.read(&mut self.buffer), Ok(count) if count > 0) {}
        for connection in self.arrivals.try_iter() {
            self.polled.push(polled(connection.stream.as_raw_fd()));
            self.connections.push(connection);
        }
    }
}

/// Starts a thread.
fn start_multiplexer() -> io::Result<Entrance> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    theirs.set_nonblocking(true)?;
    let (sender, receiver) = channel();
    let multiplexer = Multiplexer {
        arrivals: receiver,
        polled: vec![polled(theirs.as_raw_fd())],
        wakeup: theirs,
        connections: Vec::new(),
        buffer: vec![0; HEADROOM + READ_BYTES].into_boxed_slice(),
    };
    thread::Builder::new().spawn(move || multiplexer.run())?;
    Ok(Entrance { arrivals: sender, wakeup: ours })
}

impl Entrance {
    fn hand_over(&mut self, connection: Connection) {
        // The thread never ends. A wakeup that does not fit is not needed: the thread has not read the others yet.
        let _ = self.arrivals.send(connection);
        let _ = self.wakeup.write(&[0]);
    }
}

/// Returns the error that makes the listener unusable.
fn accept_all(listener: &TcpListener, options: &Options, entrances: &mut [Entrance]) -> io::Error {
    let mut has_complained = false;
    let mut number = 0;
    loop {
        let accepted = listener.accept().and_then(|(stream, _)| stream.set_nonblocking(true).map(|()| stream));
        match accepted {
            Ok(stream) => {
                let times = options.work.map(|work| work.times_of(number));
                let connection = Connection { stream, conversation: options.protocol.start(), times, owed: None };
                let place = number as usize % entrances.len();
                entrances[place].hand_over(connection);
                number += 1;
            }
            Err(error) => match trouble_of(&error) {
                Trouble::Full => {
                    if !has_complained {
                        has_complained = true;
                        say(&PROGRAM, &format!("accept: {error}: further connections wait in the accept queue"));
                    }
                    thread::sleep(ACCEPT_PAUSE);
                }
                Trouble::Broken => return error,
                Trouble::Passing => {}
            },
        }
    }
}

fn run() -> Result<(), i32> {
    let (options, listener) = launch(&PROGRAM)?;
    let threads = options.threads.map_or_else(|| thread::available_parallelism().map(usize::from), Ok);
    let entrances = threads.and_then(|threads| (0..threads).map(|_| start_multiplexer()).collect());
    let mut entrances: Vec<Entrance> = entrances.map_err(|error| {
        say(&PROGRAM, &format!("the threads: {error}"));
        FAILED
    })?;
    print_ready(&PROGRAM, &options, &listener)?;
    let error = accept_all(&listener, &options, &mut entrances);
    say(&PROGRAM, &format!("accept: {error}"));
    Err(FAILED)
}

fn main() {
    std::process::exit(run().map_or_else(|status| status, |()| 0));
}
