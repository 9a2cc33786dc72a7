// Command go serves each connection with a goroutine, which reads, works and writes with blocking
// calls. Below them the runtime uses one epoll instance and as many running threads as --threads
// says; a goroutine whose read would block is parked and costs its stack and its buffer. With
// --blocking it is the other model, of blocking.go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// How long the acceptor pauses without free descriptors or memory.
const acceptPause = 100 * time.Millisecond

func main() {
	options := parseOptions(os.Args[1:])
	if options.threads > 0 {
		runtime.GOMAXPROCS(options.threads)
	}
	listener, err := listen(options)
	if err != nil {
		say("cannot listen on %s port %d: %v", options.host, options.port, reason(err))
		os.Exit(1)
	}
	endOnSignal()
	announce(options, listener)
	if !options.blocking {
		acceptAll(listener, options)
	}
	if err := acceptBlocking(listener, options); err != nil {
		say("accept: %v", reason(err))
		os.Exit(1)
	}
}

// acceptBlocking gives the listener's socket to the other model. It sets TCP_NODELAY on it, which
// accepted sockets inherit.
func acceptBlocking(listener *net.TCPListener, options options) error {
	raw, err := listener.SyscallConn()
	if err != nil {
		return err
	}
	failure := raw.Control(func(fd uintptr) {
		if err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1); err == nil {
			err = acceptAllBlocking(int(fd), options)
		}
	})
	if failure != nil {
		return failure
	}
	return err
}

// endOnSignal ends the process with status 0 on SIGTERM and SIGINT, also with connections open.
func endOnSignal() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		os.Exit(0)
	}()
}

// listen opens the listener. Package net sets SO_REUSEADDR, sets TCP_NODELAY on accepted sockets,
// and takes the backlog from net.core.somaxconn; a second listen(2) changes it to the requested
// one.
func listen(options options) (*net.TCPListener, error) {
	config := net.ListenConfig{KeepAlive: -1}
	address := net.JoinHostPort(options.host, strconv.Itoa(options.port))
	found, err := config.Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, err
	}
	listener, ok := found.(*net.TCPListener)
	if !ok {
		return nil, fmt.Errorf("%s is no TCP address", address)
	}
	raw, err := listener.SyscallConn()
	if err != nil {
		return nil, err
	}
	if failure := raw.Control(func(fd uintptr) { err = syscall.Listen(int(fd), options.backlog) }); failure != nil {
		return nil, failure
	}
	return listener, err
}

// announce writes the ready line.
func announce(options options, listener *net.TCPListener) {
	place := listener.Addr().(*net.TCPAddr)
	line := struct {
		Ready    bool   `json:"ready"`
		Protocol string `json:"protocol"`
		Host     string `json:"host"`
		Port     int    `json:"port"`
		Pids     []int  `json:"pids"`
	}{true, options.protocol, place.IP.String(), place.Port, []int{os.Getpid()}}
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		say("the ready line cannot be written to stdout: %v", reason(err))
		os.Exit(1)
	}
}

// acceptAll accepts connections. When accept fails (no descriptor, no memory) it pauses, so that it
// does not spin; further connections wait in the accept queue.
func acceptAll(listener *net.TCPListener, options options) {
	answer := protocols(options.volleyStop)[options.protocol]
	work := newWork(options.work)
	for said := false; ; {
		conn, err := listener.Accept()
		if err == nil {
			go serve(conn, answer, work)
			continue
		}
		if !said {
			said = true
			say("accept: further connections wait in the accept queue: %v", reason(err))
		}
		time.Sleep(acceptPause)
	}
}

// say writes a line to stderr.
func say(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "go: "+format+"\n", values...)
}

// reason is the kernel's error, without the names of the calls around it.
func reason(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}
