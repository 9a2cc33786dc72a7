// The volley codec: complete words, parts of words, and zero. The wire vectors in
// servers/conformance/vectors are tested against the running server by test/contract.

package main

import (
	"bytes"
	"encoding/hex"
	"testing"
)

func TestVolley(t *testing.T) {
	cases := []struct {
		name, request string
		stops         bool
		after         string // the same bytes after the call
		reply         reply
	}{
		{"a word", "00000001", false, "00000002", reply{4, 1, false}},
		{"wrap-around", "ffffffff", false, "00000000", reply{4, 1, false}},
		{"carry", "00ffffff", false, "01000000", reply{4, 1, false}},
		{"several", "0000000700000005", false, "0000000800000006", reply{8, 2, false}},
		{"part of a word", "000000", false, "000000", reply{0, 0, false}},
		{"a word and a part", "00000001ff", false, "00000002ff", reply{4, 1, false}},
		{"zero", "00000000", false, "00000001", reply{4, 1, false}},
		{"zero that stops", "00000000", true, "00000000", reply{0, 0, true}},
		{"a word, then zero", "000000090000000000000003", true, "0000000a0000000000000003", reply{4, 1, true}},
		{"nothing", "", true, "", reply{0, 0, false}},
	}
	for _, each := range cases {
		t.Run(each.name, func(t *testing.T) {
			buffer, _ := hex.DecodeString(each.request)
			after, _ := hex.DecodeString(each.after)
			if got := answerVolley(buffer, each.stops); got != each.reply {
				t.Errorf("replied %+v, expected %+v", got, each.reply)
			}
			if !bytes.Equal(buffer, after) {
				t.Errorf("left %x, expected %x", buffer, after)
			}
		})
	}
}
