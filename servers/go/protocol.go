// The protocols of servers/PROTOCOLS.md: bytes in, bytes out. The one thing to know: a reply is as
// long as its requests, so it is made in place, and what is not answered is an unfinished request.

package main

import (
	"encoding/binary"
	"sort"
)

const wordBytes = 4

// reply says what became of the bytes that were handed over.
type reply struct {
	bytes    int  // so many at the start are replies now
	requests int  // as many as those replies answer
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

// answerEcho has no frame to go by: what one read returned counts as one request.
func answerEcho(bytes []byte) reply {
	return reply{bytes: len(bytes), requests: 1}
}

// answerVolley adds one to each whole word, modulo 2^32.
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
