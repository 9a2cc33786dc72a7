// What becomes of one connection. The one thing to know: its buffer is its only memory. It is read
// into, answered in place and written from, and nothing is read before the last reply is written; a
// client that never reads therefore holds these bytes and no more.

package main

import (
	"net"
	"os"
)

// One read and the reply to it.
const bufferBytes = 32 * 1024

// serve answers one connection until its client ends it or is gone. A half-closed client has had all
// its replies when the end of its bytes is read.
func serve(conn net.Conn, answer protocol, work *work) {
	defer conn.Close()
	buffer := make([]byte, bufferBytes)
	held := 0 // bytes of an unfinished request at the start of the buffer
	for {
		count, err := conn.Read(buffer[held:])
		if err != nil {
			return
		}
		count += held
		reply := answer(buffer[:count])
		work.do(reply.requests)
		if reply.bytes > 0 {
			if _, err := conn.Write(buffer[:reply.bytes]); err != nil {
				return
			}
		}
		if reply.ends {
			os.Exit(0)
		}
		held = copy(buffer, buffer[reply.bytes:count])
	}
}
