// The model go-blocking: an operating system thread per connection, as volley's server of this name
// has it. A goroutine is locked to its thread and reads and writes with system calls that block it;
// the runtime's epoll instance never sees the socket.

package main

import (
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// blockingThreads are the threads of connections.
type blockingThreads struct {
	mutex   sync.Mutex
	count   int
	ceiling int           // the runtime ends the process when the kernel refuses a thread
	ended   chan struct{} // one of them has ended
}

// acceptAllBlocking accepts connections on a listener that blocks. At the ceiling of threads, or
// without descriptors, further connections wait in the accept queue.
func acceptAllBlocking(listener int, options options) error {
	if err := syscall.SetNonblock(listener, false); err != nil {
		return err
	}
	answer := protocols(options.volleyStop)[options.protocol]
	work := newWork(options.work)
	threads := &blockingThreads{ceiling: threadsToSpare(), ended: make(chan struct{}, 1)}
	for said := false; ; {
		var err error = syscall.EAGAIN
		if threads.start() {
			var conn int
			if conn, _, err = syscall.Accept4(listener, syscall.SOCK_CLOEXEC); err == nil {
				go func() {
					runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
					defer threads.end()
					serveBlocking(conn, answer, work)
				}()
				continue
			}
			threads.discount()
			if err == syscall.EINTR || err == syscall.ECONNABORTED {
				continue
			}
		}
		if !said {
			said = true
			say("accept: further connections wait in the accept queue: %v", err)
		}
		select {
		case <-threads.ended:
		case <-time.After(acceptPause):
		}
	}
}

// start counts a thread, unless there are too many.
func (t *blockingThreads) start() bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.count >= t.ceiling {
		return false
	}
	t.count++
	return true
}

// discount undoes start.
func (t *blockingThreads) discount() {
	t.mutex.Lock()
	t.count--
	t.mutex.Unlock()
}

func (t *blockingThreads) end() {
	t.discount()
	select {
	case t.ended <- struct{}{}:
	default:
	}
}

// serveBlocking is serve, with system calls that block the thread.
func serveBlocking(conn int, answer protocol, work *work) {
	defer syscall.Close(conn)
	buffer := make([]byte, bufferBytes)
	held := 0 // bytes of an incomplete request at the start of the buffer
	for {
		count, err := syscall.Read(conn, buffer[held:])
		if err == syscall.EINTR {
			continue
		}
		if err != nil || count <= 0 {
			return
		}
		count += held
		reply := answer(buffer[:count])
		work.do(reply.requests)
		if !writeAll(conn, buffer[:reply.bytes]) {
			return
		}
		if reply.ends {
			os.Exit(0)
		}
		held = copy(buffer, buffer[reply.bytes:count])
	}
}

// writeAll is false when the connection is broken.
func writeAll(conn int, bytes []byte) bool {
	for len(bytes) > 0 {
		count, err := syscall.Write(conn, bytes)
		if err != nil && err != syscall.EINTR {
			return false
		}
		if err == nil {
			bytes = bytes[count:]
		}
	}
	return true
}
