//! The listening socket. On Linux an accepted socket inherits TCP_NODELAY from its listener, so the option is set
//! here once and costs no system call per connection.

use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::time::Duration;

/// How long a model without free descriptors or threads stops accepting, unless a connection ends.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Listens on the first usable address of `host`. The socket is blocking.
pub fn open(host: &str, port: u16, backlog: i32) -> io::Result<TcpListener> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (host, port).to_socket_addrs()? {
        match try_address(address, backlog) {
            Ok(listener) => return Ok(listener),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn try_address(address: SocketAddr, backlog: i32) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.set_nodelay(true)?;
    socket.bind(&address.into())?;
    socket.listen(backlog)?;
    Ok(socket.into())
}

/// The ready line.
pub fn announce(protocol: &str, listener: &TcpListener) -> io::Result<String> {
    let address = listener.local_addr()?;
    let (host, port, pid) = (address.ip(), address.port(), std::process::id());
    Ok(format!(r#"{{"ready":true,"protocol":"{protocol}","host":"{host}","port":{port},"pids":[{pid}]}}"#) + "\n")
}

/// What an error of accept means to the accept loop.
#[derive(Debug, PartialEq, Eq)]
pub enum Trouble {
    /// No descriptors or no memory: retrying immediately would spin.
    Full,
    /// The listener is unusable.
    Broken,
    /// This connection failed; the next may succeed.
    Passing,
}

pub fn trouble_of(error: &io::Error) -> Trouble {
    match error.raw_os_error() {
        Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM | libc::ENOBUFS) => Trouble::Full,
        Some(libc::EBADF | libc::EINVAL | libc::ENOTSOCK) => Trouble::Broken,
        _ => Trouble::Passing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listens_without_delay_and_announces_it() {
        let listener = open("127.0.0.1", 0, 16).unwrap();
        let port = listener.local_addr().unwrap().port();
        let pid = std::process::id();
        let expected = format!(
            "{{\"ready\":true,\"protocol\":\"echo\",\"host\":\"127.0.0.1\",\"port\":{port},\"pids\":[{pid}]}}\n"
        );
        assert_eq!(announce("echo", &listener).unwrap(), expected);
        let _client = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        assert!(listener.accept().unwrap().0.nodelay().unwrap());
    }

    #[test]
    fn refuses_a_port_that_is_taken() {
        let taken = open("127.0.0.1", 0, 16).unwrap();
        let error = open("127.0.0.1", taken.local_addr().unwrap().port(), 16).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
    }

    #[test]
    fn knows_what_to_wait_for() {
        let troubles =
            [(libc::EMFILE, Trouble::Full), (libc::EBADF, Trouble::Broken), (libc::ECONNABORTED, Trouble::Passing)];
        for (code, expected) in troubles {
            assert_eq!(trouble_of(&io::Error::from_raw_os_error(code)), expected);
        }
    }
}
