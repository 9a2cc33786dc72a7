// The command line. Package flag accepts -port and --port, `--port 1` and `--port=1`, but parses
// numbers as Go writes them (0x10, 1_000); here they are decimal only.

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const usage = `usage: go [options]

A goroutine per connection; with --blocking a thread.

  -p, --port N           port to listen on; 0: chosen by the kernel (default 0)
      --host ADDRESS     address to listen on (default 127.0.0.1)
      --backlog N        length of the accept queue, at most net.core.somaxconn (default 4096)
      --protocol NAME    one of: %s (default echo)
      --volley-stop      with volley: a word of zero ends the server, unanswered
      --work A-B         simulated work of each request, drawn from A to B, such as 30ms-50ms;
                         --work A: always A. Units: ns, us, ms, s (default: none)
      --work-kind KIND   wait: the goroutine sleeps (default); block: its thread sleeps in
                         nanosleep(2); spin: its thread uses up as much CPU time
      --work-seed N      seed of the random numbers for --work, 0 to 2^53 (default 1)
      --threads N        threads that run goroutines at once, 1 to 1024 (default: a CPU each)
      --blocking         a thread per connection, locked to its goroutine, with blocking system calls
      --help             prints this text
`

type options struct {
	port       int
	host       string
	backlog    int
	protocol   string
	volleyStop bool
	work       workOptions
	threads    int // 0: the runtime's default
	blocking   bool
}

// parseOptions ends the process with 0 after --help and with 2 after an error.
func parseOptions(words []string) options {
	read, err := readOptions(words)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Printf(usage, strings.Join(protocolNames(), ", "))
		os.Exit(0)
	case err != nil:
		say("%v; --help lists the options", err)
		os.Exit(2)
	}
	return read
}

func readOptions(words []string) (options, error) {
	read := options{host: "127.0.0.1", backlog: 4096, protocol: "echo", work: workOptions{kind: "wait", seed: 1}}
	flags := flag.NewFlagSet("go", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Func("p", "", number(&read.port, 0, 65535))
	flags.Func("port", "", number(&read.port, 0, 65535))
	flags.StringVar(&read.host, "host", read.host, "")
	flags.Func("backlog", "", number(&read.backlog, 1, 1<<30))
	flags.Func("protocol", "", choice(&read.protocol, protocolNames()))
	flags.BoolVar(&read.volleyStop, "volley-stop", false, "")
	flags.Func("work", "", times(&read.work.low, &read.work.high))
	flags.Func("work-kind", "", choice(&read.work.kind, []string{"wait", "block", "spin"}))
	flags.Func("work-seed", "", number(&read.work.seed, 0, 1<<53))
	flags.BoolVar(&read.blocking, "blocking", false, "")
	flags.Func("threads", "", number(&read.threads, 1, 1024))
	if err := flags.Parse(words); err != nil {
		return read, err
	}
	if flags.NArg() > 0 {
		return read, fmt.Errorf("argument %s: expected options only", flags.Arg(0))
	}
	given := map[string]bool{}
	flags.Visit(func(flag *flag.Flag) { given[flag.Name] = true })
	for _, each := range []struct {
		option, needs string
		there         bool
	}{
		{"work-kind", "--work", given["work"]},
		{"work-seed", "--work", given["work"]},
		{"volley-stop", "--protocol volley", read.protocol == "volley"},
	} {
		if given[each.option] && !each.there {
			return read, fmt.Errorf("--%s: expected together with %s", each.option, each.needs)
		}
	}
	return read, nil
}

func number[N int | int64](to *N, low, high N) func(string) error {
	return func(text string) error {
		value, err := strconv.ParseUint(text, 10, 63)
		if err != nil || N(value) < low || N(value) > high {
			return fmt.Errorf("expected %d to %d", low, high)
		}
		*to = N(value)
		return nil
	}
}

func choice(to *string, names []string) func(string) error {
	return func(text string) error {
		for _, name := range names {
			if name == text {
				*to = text
				return nil
			}
		}
		return fmt.Errorf("expected one of %s", strings.Join(names, ", "))
	}
}

var duration = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?(ns|us|ms|s)$`)

// times reads "30ms-50ms", or "40ms" for both.
func times(low, high *time.Duration) func(string) error {
	return func(text string) error {
		first, last, isRange := strings.Cut(text, "-")
		if !isRange {
			last = first
		}
		for _, each := range []struct {
			text string
			to   *time.Duration
		}{{first, low}, {last, high}} {
			value, err := time.ParseDuration(each.text)
			if !duration.MatchString(each.text) || err != nil || value > time.Hour {
				return errors.New("expected a time such as 1.5ms, or two, 30ms-50ms, of at most 3600s")
			}
			*each.to = value
		}
		if *low > *high {
			return errors.New("expected the shorter time first")
		}
		return nil
	}
}
