// Simulated work: the time added to each request, uniform between two times. The models wait;
// here are the times, and how a platform thread sleeps and spins.

package broadside;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

final class Work {
    /** The reply is due later; the serving thread sleeps; the serving thread computes. */
    enum Kind {
        WAIT,
        BLOCK,
        SPIN
    }

    private static final String TIME = "([0-9]+(?:\\.[0-9]+)?)(ns|us|ms|s)";
    private static final double MOST_NS = 3600e9;

    final Kind kind;
    private final double lowNs;
    private final double highNs;
    private final SplittableRandom seeds;

    private Work(Kind kind, long seed, double lowNs, double highNs) {
        this.kind = kind;
        this.lowNs = lowNs;
        this.highNs = highNs;
        this.seeds = new SplittableRandom(seed);
        if (kind == Kind.SPIN) {
            spin(1); // loads its classes now, not in the first request
        }
    }

    /** Null: the text is not a valid time. */
    static Work parse(String text, Kind kind, long seed) {
        Matcher parts = Pattern.compile(TIME + "(?:-" + TIME + ")?").matcher(text);
        if (!parts.matches()) {
            return null;
        }
        double lowNs = nanoseconds(parts.group(1), parts.group(2));
        double highNs =
                parts.group(3) == null ? lowNs : nanoseconds(parts.group(3), parts.group(4));
        return lowNs <= highNs && highNs <= MOST_NS ? new Work(kind, seed, lowNs, highNs) : null;
    }

    private static double nanoseconds(String number, String unit) {
        return Double.parseDouble(number)
                * Map.of("ns", 1.0, "us", 1e3, "ms", 1e6, "s", 1e9).get(unit);
    }

    /** The random numbers of the next connection; called by the thread that accepts. */
    SplittableRandom nextConnection() {
        return seeds.split();
    }

    /** The time of this many requests, one after another. */
    long drawNs(SplittableRandom random, int requests) {
        double ns = 0;
        for (int i = 0; i < requests; i++) {
            ns += lowNs + (highNs - lowNs) * random.nextDouble();
        }
        return (long) Math.ceil(ns);
    }

    /** Sleeps at least this long; a virtual thread releases its carrier meanwhile. */
    static void sleep(long ns) {
        long due = System.nanoTime() + ns;
        for (long left = ns; left > 0; left = due - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Uses this much CPU time of the calling platform thread. */
    static void spin(long ns) {
        ThreadMXBean threads = Clock.THREADS;
        for (long end = threads.getCurrentThreadCpuTime() + ns;
                threads.getCurrentThreadCpuTime() < end; ) {
            Thread.onSpinWait();
        }
    }

    /** A separate class, because loading it takes 100 ms and only spinning needs it. */
    static final class Clock {
        static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

        private Clock() {}
    }
}
