// How many threads blocking work may use. The runtime ends the process when the kernel refuses a
// thread, so it must never request the last one.

package main

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	// The runtime's own maximum is 10,000 (debug.SetMaxThreads), and it needs some threads itself.
	threadsMost = 9000
	// RLIMIT_NPROC, which package syscall does not define.
	limitProcesses = 6
)

// threadsToSpare is half of what the machine, the control groups and `ulimit -u` currently allow.
func threadsToSpare() int {
	most := smaller(readNumber("/proc/sys/kernel/pid_max"), readNumber("/proc/sys/kernel/threads-max"))
	left := smaller(most-tasksNow(), groupTasksLeft("/sys/fs/cgroup"))
	var limit syscall.Rlimit
	if os.Geteuid() != 0 && syscall.Getrlimit(limitProcesses, &limit) == nil && limit.Cur < math.MaxInt32 {
		left = smaller(left, int(limit.Cur))
	}
	spare := smaller(left/2, threadsMost)
	if spare < 1 {
		return 1
	}
	return spare
}

// tasksNow is the number of tasks of the machine: "0.10 0.20 0.30 1/234 5678" has 234.
func tasksNow() int {
	text, _ := os.ReadFile("/proc/loadavg")
	_, rest, _ := strings.Cut(string(text), "/")
	count, _, _ := strings.Cut(rest, " ")
	tasks, err := strconv.Atoi(count)
	if err != nil {
		return 0
	}
	return tasks
}

// groupTasksLeft is the smallest number of tasks that the control groups of this process still
// allow, in version 2 of the interface ("0::/path" in /proc/self/cgroup) and in version 1
// ("8:pids:/path").
func groupTasksLeft(root string) int {
	text, _ := os.ReadFile("/proc/self/cgroup")
	least := math.MaxInt32
	for _, line := range strings.Split(string(text), "\n") {
		fields := strings.SplitN(line, ":", 3)
		if len(fields) < 3 || (fields[1] != "" && fields[1] != "pids") {
			continue
		}
		top := filepath.Join(root, fields[1])
		for folder := filepath.Join(top, fields[2]); ; folder = filepath.Dir(folder) {
			if most := readNumber(filepath.Join(folder, "pids.max")); most < math.MaxInt32 {
				least = smaller(least, most-readNumber(filepath.Join(folder, "pids.current")))
			}
			if len(folder) <= len(top) {
				break
			}
		}
	}
	return least
}

// readNumber is the number in a file of the kernel, or the largest integer if there is none ("max",
// no such file).
func readNumber(path string) int {
	text, _ := os.ReadFile(path)
	number, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || number > math.MaxInt32 {
		return math.MaxInt32
	}
	return number
}

func smaller(a, b int) int {
	if a < b {
		return a
	}
	return b
}
