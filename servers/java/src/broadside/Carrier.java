// Work that holds the carrier of a virtual thread, the kernel thread that runs it. A virtual
// thread that blocks releases its carrier, unless there is a native frame on its stack; so it
// sleeps below one.

package broadside;

import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;

final class Carrier {
    private static final String NATIVE_CALLS = "jdk.reflect.useNativeAccessorOnly";
    private static final Map<String, Long> IDS = new ConcurrentHashMap<>();

    private Carrier() {}

    /**
     * The method that puts the carrier to sleep. With NATIVE_CALLS a reflective call is made by a
     * native method, which pins the virtual thread to its carrier; without it the process ends.
     */
    static LongConsumer sleeping(String name) {
        if (!Boolean.getBoolean(NATIVE_CALLS)) {
            System.err.println(
                    name + ": --work-kind block: start it by java -D" + NATIVE_CALLS + "=true");
            System.exit(2);
        }
        return Carrier::sleep;
    }

    private static void sleep(long ns) {
        try {
            Pinned.SLEEP.invoke(null, ns);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Uses this much CPU time of the carrier, which a virtual thread keeps until it blocks. */
    static void spin(long ns) {
        ThreadMXBean threads = Work.Clock.THREADS;
        long id = idOfCarrier(threads);
        long wallEnd = System.nanoTime() + ns;
        long cpuEnd = threads.getThreadCpuTime(id) + ns;
        boolean hasClock = id > 0;
        while (hasClock ? threads.getThreadCpuTime(id) < cpuEnd : System.nanoTime() < wallEnd) {
            Thread.onSpinWait();
        }
    }

    /**
     * The JVM has no clock for virtual threads, and shows only the name of the carrier:
     * "VirtualThread[#30]/runnable@name".
     */
    private static long idOfCarrier(ThreadMXBean threads) {
        String text = Thread.currentThread().toString();
        String name = text.substring(text.indexOf('@') + 1);
        Long known = IDS.get(name);
        if (known != null && threads.getThreadCpuTime(known) >= 0) {
            return known;
        }
        for (ThreadInfo each : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (each != null && each.getThreadName().equals(name)) {
                IDS.put(name, each.getThreadId());
                return each.getThreadId();
            }
        }
        return 0;
    }

    private static final class Pinned {
        static final Method SLEEP = method();

        private static Method method() {
            try {
                return Work.class.getDeclaredMethod("sleep", long.class);
            } catch (NoSuchMethodException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }
}
