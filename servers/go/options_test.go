// The command line: accepted and rejected options.

package main

import (
	"testing"
	"time"
)

func TestWorkTimes(t *testing.T) {
	read, err := readOptions([]string{"--work", "1.5ms-2s", "-work-kind=spin", "--work-seed=0"})
	if err != nil {
		t.Fatal(err)
	}
	expected := workOptions{low: 1500 * time.Microsecond, high: 2 * time.Second, kind: "spin", seed: 0}
	if read.work != expected {
		t.Errorf("read %+v, expected %+v", read.work, expected)
	}
}

func TestMistakes(t *testing.T) {
	for _, words := range [][]string{
		{"--port", "65536"}, {"--port", "0x10"}, {"-p", "1x"}, {"--port=-1"}, {"--port", ""}, {"--bogus"}, {"extra"},
		{"--protocol", "ace"}, {"--threads", "0"}, {"--backlog", "0"}, {"--work-kind", "spin"},
		{"--work-seed", "1"}, {"--volley-stop"}, {"--volley-stop", "--protocol", "echo"},
		{"--work", "1ms", "--work-kind", "sleep"}, {"--work-seed", "9007199254740993"},
		{"--work", "5"}, {"--work", "5m"}, {"--work", "2ms-1ms"}, {"--work", "-1ms"}, {"--work", "1ms-"},
		{"--work", "3601s"}, {"--work", "1e3ms"}, {"--work", "1s1ms"}, {"--work", ""}, {"--work", "1ms-2ms-3ms"},
	} {
		if read, err := readOptions(words); err == nil {
			t.Errorf("%q is read as %+v, expected an error", words, read)
		}
	}
}
