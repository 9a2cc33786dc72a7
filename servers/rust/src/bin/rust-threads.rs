//! A thread per connection, blocking calls, with std only. `main` is a C function: Rust's own start-up would give
//! each thread a signal stack, two more mappings of `vm.max_map_count` (half as many threads), and std ends the whole
//! process when a started thread cannot get its own. At the ceiling the acceptor stops accepting, and further
//! connections wait in the accept queue.
#![no_main]

use broadside_servers::launch::{launch, print_ready, say, FAILED};
use broadside_servers::limits::threads_most;
use broadside_servers::listener::{trouble_of, Trouble, ACCEPT_PAUSE};
use broadside_servers::options::{Options, Program};
use broadside_servers::protocol::HEADROOM;
use broadside_servers::work::{spin, Kind};
use broadside_servers::READ_BYTES;
use socket2::SockRef;
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

const PROGRAM: Program = Program {
    name: "rust-threads",
    summary: "A blocking thread per connection.",
    takes_max_children: true,
    takes_threads: false,
};
/// Address space, of which only touched pages are backed.
const STACK_BYTES: usize = 64 * 1024;

/// The number of threads, and a signal for each that ends.
#[derive(Default)]
struct Children {
    count: Mutex<usize>,
    one_ended: Condvar,
}

impl Children {
    fn count(&self) -> MutexGuard<'_, usize> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts as one of the children while it exists.
struct Child(Arc<Children>);

impl Child {
    fn new(children: &Arc<Children>) -> Child {
        *children.count() += 1;
        Child(Arc::clone(children))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        *self.0.count() -= 1;
        self.0.one_ended.notify_one();
    }
}

struct Acceptor {
    options: Arc<Options>,
    children: Arc<Children>,
    ceiling: usize,
    has_complained: bool,
}

impl Acceptor {
    /// Waits until a child ends, or for a while: limits of the machine may also ease for other reasons.
    fn wait_for_room(&mut self, what: &str) {
        if !self.has_complained {
            self.has_complained = true;
            say(&PROGRAM, &format!("{what}: further connections wait in the accept queue"));
        }
        let count = self.children.count();
        let before = *count;
        // The caller tries again in any case.
        let _ = self.children.one_ended.wait_timeout_while(count, ACCEPT_PAUSE, |count| *count >= before);
    }

    /// Returns the error that makes the listener unusable.
    fn run(&mut self, listener: &TcpListener) -> io::Error {
        let mut connection = 0;
        loop {
            if *self.children.count() >= self.ceiling {
                self.wait_for_room(&format!("maximum of {} threads (--max-children) reached", self.ceiling));
                continue;
            }
            match listener.accept() {
                Ok((stream, _)) => self.start_child(stream, connection),
                Err(error) => match trouble_of(&error) {
                    Trouble::Full => self.wait_for_room(&format!("accept: {error}")),
                    Trouble::Broken => return error,
                    Trouble::Passing => {}
                },
            }
            connection += 1;
        }
    }

    fn start_child(&mut self, stream: TcpStream, connection: u64) {
        // Shared, because a closure that could not be started is dropped, and the connection must outlive it.
        let stream = Arc::new(stream);
        loop {
            let (options, child, of_child) =
                (Arc::clone(&self.options), Child::new(&self.children), Arc::clone(&stream));
            let started = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
                // An error of one connection does not affect the others.
                let _ = serve(&of_child, &options, connection);
                drop(of_child);
                drop(child);
            });
            match started {
                Ok(_detached) => return,
                Err(error) => self.wait_for_room(&format!("no more threads: {error}")),
            }
        }
    }
}

fn serve(mut stream: &TcpStream, options: &Options, connection: u64) -> io::Result<()> {
    let mut conversation = options.protocol.start();
    let mut times = options.work.map(|work| work.times_of(connection));
    // Neither zeroed nor on the stack, where Rust touches every page: what no request uses is never backed.
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(HEADROOM + READ_BYTES).map_err(|_| io::ErrorKind::OutOfMemory)?;
    loop {
        buffer.clear();
        buffer.extend([0; HEADROOM]);
        let count = match SockRef::from(stream).recv(&mut buffer.spare_capacity_mut()[..READ_BYTES]) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        // SAFETY: recv has filled `count` bytes after the headroom, within the reserved capacity.
        unsafe { buffer.set_len(HEADROOM + count) };
        let answer = conversation.answer(&mut buffer);
        if let Some(times) = &mut times {
            let time = times.next(answer.requests);
            match times.kind() {
                Kind::Wait | Kind::Block => thread::sleep(time),
                Kind::Spin => spin(time),
            }
        }
        let sent = stream.write_all(&buffer[answer.reply]);
        if answer.ends_server {
            std::process::exit(0);
        }
        sent?;
    }
}

fn run() -> Result<(), i32> {
    let (options, listener) = launch(&PROGRAM)?;
    print_ready(&PROGRAM, &options, &listener)?;
    let ceiling = options.max_children.unwrap_or_else(threads_most);
    let mut acceptor =
        Acceptor { options: Arc::new(options), children: Arc::default(), ceiling, has_complained: false };
    let error = acceptor.run(&listener);
    say(&PROGRAM, &format!("accept: {error}"));
    Err(FAILED)
}

#[no_mangle]
pub extern "C" fn main() -> libc::c_int {
    run().map_or_else(|status| status, |()| 0)
}
