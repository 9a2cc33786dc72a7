// The protocols of servers/PROTOCOLS.md: bytes in, bytes out. A reply is as long as its requests,
// so it is made in place; the bytes that are not answered are an incomplete request.

package main

import (
	"encoding/binary"
	"sort"
)

const wordBytes = 4

// reply is the result for the bytes of one read.
type reply struct {
	bytes    int  // number of reply bytes at the start of the buffer
	requests int  // number of requests that they answer
	ends     bool // the server ends once they are written
}

type protocol func(bytes []byte) reply

// protocols by name; volleyStop: a word of zero ends the server.
func protocols(volleyStop bool) map[string]protocol {
	return map[string]protocol{
		"echo":   answerEcho,
		"volley": func(bytes []byte) reply { return answerVolley(bytes, volleyStop) },
	}
}

func protocolNames() []string {
	var names []string
	for name := range protocols(false) {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// answerEcho has no frames: the bytes of one read count as one request.
func answerEcho(bytes []byte) reply {
	return reply{bytes: len(bytes), requests: 1}
}

// answerVolley adds one to each complete word, modulo 2^32.
func answerVolley(bytes []byte, stops bool) reply {
	at := 0
	for ; at+wordBytes <= len(bytes); at += wordBytes {
		word := binary.BigEndian.Uint32(bytes[at:])
		if word == 0 && stops {
			return reply{bytes: at, requests: at / wordBytes, ends: true}
		}
		binary.BigEndian.PutUint32(bytes[at:], word+1)
	}
	return reply{bytes: at, requests: at / wordBytes}
}
