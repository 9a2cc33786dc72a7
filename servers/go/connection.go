// Serves one connection. Its buffer is its only memory: input is read into it, answered in place
// and written from it, and nothing is read before the last reply is written; so a client that never
// reads costs these bytes and no more.

package main

import (
	"net"
	"os"
)

// One read and the reply to it.
const bufferBytes = 32 * 1024

// serve answers one connection until its client closes it or it breaks. A half-closed client has
// received all its replies when the end of its input is read.
func serve(conn net.Conn, answer protocol, work *work) {
	defer conn.Close()
	buffer := make([]byte, bufferBytes)
	held := 0 // bytes of an incomplete request at the start of the buffer
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
