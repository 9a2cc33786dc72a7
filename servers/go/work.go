// Simulated work of each request. Waiting costs no thread (the runtime's timers wake the
// goroutine); blocking and spinning hold one, and the runtime aborts at the 10,001st; so these two
// acquire a slot first, and wait while none is free.

package main

import (
	"math/rand"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// Number of goroutines that spin at once: more would not finish sooner, and every other goroutine,
// including the one that handles SIGTERM, would wait for all of them, 10 ms each.
const spinnersPerThread = 4

// CLOCK_THREAD_CPUTIME_ID of clock_gettime(2).
const threadClock = 3

// workOptions are the options for simulated work.
type workOptions struct {
	low, high time.Duration // both zero: no work
	kind      string
	seed      int64
}

type work struct {
	workOptions
	spend  func(time.Duration)
	places chan struct{} // nil for kinds that hold no thread
	mutex  sync.Mutex    // guards random
	random *rand.Rand
}

// workKinds by name; none returns before its time.
var workKinds = map[string]func(time.Duration){"wait": time.Sleep, "block": block, "spin": spin}

func newWork(options workOptions) *work {
	made := &work{workOptions: options, spend: workKinds[options.kind]}
	made.random = rand.New(rand.NewSource(options.seed))
	switch options.kind {
	case "block":
		made.places = make(chan struct{}, threadsToSpare())
	case "spin":
		made.places = make(chan struct{}, spinnersPerThread*runtime.GOMAXPROCS(0))
	}
	return made
}

// do returns when the work of this many requests is done, one after another.
func (w *work) do(requests int) {
	if w.high == 0 || requests == 0 {
		return
	}
	total := w.draw(requests)
	if w.places != nil {
		w.places <- struct{}{}
		defer func() { <-w.places }()
	}
	w.spend(total)
}

// draw is the sum of this many times, each uniform in [low, high].
func (w *work) draw(requests int) time.Duration {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	total := time.Duration(0)
	for ; requests > 0; requests-- {
		total += w.low + time.Duration(w.random.Int63n(int64(w.high-w.low)+1))
	}
	return total
}

// block sleeps in nanosleep(2) and holds the goroutine's thread; the runtime lets another thread
// run the other goroutines, as for every blocking system call.
func block(time time.Duration) {
	left := syscall.NsecToTimespec(time.Nanoseconds())
	for syscall.Nanosleep(&left, &left) == syscall.EINTR {
	}
}

// spin computes until its thread has used this much CPU time, however long that takes on a busy
// machine.
func spin(time time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for end := threadTime() + time; threadTime() < end; {
		compute()
	}
}

// threadTime is the CPU time of the calling thread.
func threadTime() time.Duration {
	var now syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&now)), 0)
	return time.Duration(now.Nano())
}

// compute takes about 10 us, so that reading the clock costs little of the time.
//
//go:noinline
func compute() uint64 {
	state := uint64(88172645463325252)
	for i := 0; i < 5000; i++ {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
	}
	return state
}
