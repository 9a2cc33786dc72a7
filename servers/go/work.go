// The business work of each request. The one thing to know: to wait costs no thread (the runtime's
// timers wake the goroutine), to block or to spin holds one, and the runtime dies of the 10,001st; so
// those two take a place first, and the request waits when none is free.

package main

import (
	"math/rand"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// Spinning goroutines that share the running threads: more of them would finish no sooner, and every
// other goroutine, the one that hears SIGTERM too, has its turn after all of them, 10 ms each.
const spinnersPerThread = 4

// CLOCK_THREAD_CPUTIME_ID of clock_gettime(2).
const threadClock = 3

// workOptions is what the command line says of work.
type workOptions struct {
	low, high time.Duration // both zero: none
	kind      string
	seed      int64
}

type work struct {
	workOptions
	spend  func(time.Duration)
	places chan struct{} // nil where no thread is held
	mutex  sync.Mutex    // guards random
	random *rand.Rand
}

// workKinds by name; each returns no earlier than after its time.
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

// do returns when the work of so many requests is done: their times, one after the other.
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

// draw is the sum of so many times, each uniform in [low, high].
func (w *work) draw(requests int) time.Duration {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	total := time.Duration(0)
	for ; requests > 0; requests-- {
		total += w.low + time.Duration(w.random.Int63n(int64(w.high-w.low)+1))
	}
	return total
}

// block sleeps in nanosleep(2). The goroutine's thread is held; the runtime lets another one run the
// other goroutines, as with every blocking system call.
func block(time time.Duration) {
	left := syscall.NsecToTimespec(time.Nanoseconds())
	for syscall.Nanosleep(&left, &left) == syscall.EINTR {
	}
}

// spin computes until its thread has used so much CPU time, however long that takes on a busy machine.
func spin(time time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for end := threadTime() + time; threadTime() < end; {
		compute()
	}
}

// threadTime is the CPU time that the calling thread has used.
func threadTime() time.Duration {
	var now syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&now)), 0)
	return time.Duration(now.Nano())
}

// compute takes about 10 us, so that little of the time goes into looking at the clock.
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
