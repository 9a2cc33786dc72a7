//! A task per connection on tokio's multi-threaded runtime. The buffer belongs to the worker thread, not to the task.
//! A read, its answer and the first attempt to send it are one poll without an await between them; only what could
//! not be sent immediately, or is due later, is copied for the task.

use broadside_servers::launch::{launch, print_ready, say, FAILED};
use broadside_servers::listener::{trouble_of, Trouble, ACCEPT_PAUSE};
use broadside_servers::options::{Options, Program};
use broadside_servers::protocol::{Conversation, HEADROOM};
use broadside_servers::work::Times;
use broadside_servers::READ_BYTES;
use std::cell::RefCell;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

const PROGRAM: Program = Program {
    name: "rust-tokio",
    summary: "A task per connection on tokio's worker threads.",
    takes_max_children: false,
    takes_threads: true,
};

thread_local! {
    static BUFFER: RefCell<Box<[u8]>> = RefCell::new(vec![0; HEADROOM + READ_BYTES].into_boxed_slice());
}

/// What a task keeps of a reply across an await.
struct Owed {
    reply: Vec<u8>,
    due_in: Duration,
    ends_server: bool,
}

struct Connection {
    stream: TcpStream,
    conversation: Box<dyn Conversation>,
    times: Option<Times>,
}

impl Connection {
    async fn serve(mut self) -> io::Result<()> {
        while let Some(owed) = (Turn { connection: &mut self }).await? {
            if !owed.due_in.is_zero() {
                sleep(owed.due_in).await;
            }
            let sent = self.send_all(&owed.reply).await;
            if owed.ends_server {
                std::process::exit(0);
            }
            sent?;
        }
        Ok(())
    }

    async fn send_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            self.stream.writable().await?;
            bytes = &bytes[self.try_send(bytes)?..];
        }
        Ok(())
    }

    /// How many bytes the kernel accepts immediately; 0 when the task must wait.
    fn try_send(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.stream.try_write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
            other => other,
        }
    }
}

/// Reads once and answers. Yields None at the end of the client's input.
struct Turn<'a> {
    connection: &'a mut Connection,
}

impl Turn<'_> {
    fn poll_with(&mut self, buffer: &mut [u8], context: &mut Context<'_>) -> Poll<io::Result<Option<Owed>>> {
        let connection = &mut *self.connection;
        let mut read = ReadBuf::new(&mut buffer[HEADROOM..]);
        // poll_read, not try_read: after a read that did not fill the buffer it knows that the socket is drained,
        // which saves a system call; and it uses the task's budget, so that a client that never pauses yields to the
        // others.
        match Pin::new(&mut connection.stream).poll_read(context, &mut read) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) => {}
        }
        let count = read.filled().len();
        if count == 0 {
            return Poll::Ready(Ok(None));
        }
        let answer = connection.conversation.answer(&mut buffer[..HEADROOM + count]);
        let due_in = connection.times.as_mut().map_or(Duration::ZERO, |times| times.spend(answer.requests));
        let reply = &buffer[answer.reply];
        let sent = if due_in.is_zero() && !reply.is_empty() { connection.try_send(reply)? } else { 0 };
        Poll::Ready(Ok(Some(Owed { reply: reply[sent..].to_vec(), due_in, ends_server: answer.ends_server })))
    }
}

impl Future for Turn<'_> {
    type Output = io::Result<Option<Owed>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        BUFFER.with(|buffer| self.poll_with(&mut buffer.borrow_mut(), context))
    }
}

/// Returns the error that makes the listener unusable.
async fn accept_all(listener: TcpListener, options: Options) -> io::Error {
    let one_ended = Arc::new(Notify::new());
    let mut has_complained = false;
    let mut number = 0;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let times = options.work.map(|work| work.times_of(number));
                let connection = Connection { stream, conversation: options.protocol.start(), times };
                let one_ended = Arc::clone(&one_ended);
                number += 1;
                tokio::spawn(async move {
                    // An error of one connection does not affect the others.
                    let _ = connection.serve().await;
                    one_ended.notify_one();
                });
            }
            Err(error) => match trouble_of(&error) {
                Trouble::Full => {
                    if !has_complained {
                        has_complained = true;
                        say(&PROGRAM, &format!("accept: {error}: further connections wait in the accept queue"));
                    }
                    // Waits until a connection ends, or for a while: limits of the machine may also ease for other
                    // reasons.
                    let _ = timeout(ACCEPT_PAUSE, one_ended.notified()).await;
                }
                Trouble::Broken => return error,
                Trouble::Passing => {}
            },
        }
    }
}

fn run() -> Result<(), i32> {
    let (options, listener) = launch(&PROGRAM)?;
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = options.threads {
        builder.worker_threads(threads);
    }
    let failed = |what: &str, error: io::Error| {
        say(&PROGRAM, &format!("{what}: {error}"));
        FAILED
    };
    let runtime = builder.enable_io().enable_time().build().map_err(|error| failed("tokio's runtime", error))?;
    listener.set_nonblocking(true).map_err(|error| failed("the listener", error))?;
    print_ready(&PROGRAM, &options, &listener)?;
    let ended = runtime.block_on(async {
        let listener = TcpListener::from_std(listener)?;
        // A regular task, so it runs on a worker thread and starts the connection's task without waking another
        // thread.
        tokio::spawn(accept_all(listener, options)).await.map_err(io::Error::from)
    });
    Err(failed("accept", ended.unwrap_or_else(|error| error)))
}

fn main() {
    std::process::exit(run().map_or_else(|status| status, |()| 0));
}
