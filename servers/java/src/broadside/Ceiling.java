// How many threads may be started within the kernel's limits. A server that takes the last pid
// makes the machine unusable, and a JVM that cannot map a stack aborts.

package broadside;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

final class Ceiling {
    /** Tasks left to other programs, or half of them if there are few. */
    private static final long HEADROOM = 1000;

    /** Mappings of a Java thread: its stack, and the guard pages below it. */
    private static final long MAPPINGS_PER_THREAD = 2;

    /** Measured for a thread with its buffers and its connection. */
    private static final long KIB_PER_THREAD = 128;

    private static final String GROUPS = "/sys/fs/cgroup";

    private Ceiling() {}

    static int threads() {
        long most = Math.min(tasks(), mappings());
        most =
                Math.min(
                        most,
                        found("/proc/meminfo", "MemAvailable: +([0-9]+)") / 2 / KIB_PER_THREAD);
        return (int) Math.max(1, Math.min(most, Integer.MAX_VALUE));
    }

    private static long tasks() {
        long all =
                Math.min(
                        found("/proc/sys/kernel/pid_max", "^([0-9]+)"),
                        found("/proc/sys/kernel/threads-max", "^([0-9]+)"));
        long left = all == Long.MAX_VALUE ? all : all - found("/proc/loadavg", "/([0-9]+)");
        left = Math.min(left, found("/proc/self/limits", "Max processes +([0-9]+)"));
        left = Math.min(left, controlGroups());
        return left - Math.min(HEADROOM, left / 2);
    }

    private static long mappings() {
        long all = found("/proc/sys/vm/max_map_count", "^([0-9]+)");
        return all == Long.MAX_VALUE ? all : (all - HEADROOM) / MAPPINGS_PER_THREAD;
    }

    /**
     * Tasks that the control groups of this process still allow (versions 1 and 2), including the
     * groups above.
     */
    private static long controlGroups() {
        long left = Long.MAX_VALUE;
        Matcher each =
                Pattern.compile("(?m)^[0-9]+:(|.*,)(pids(?:,.*)?)?:/(.*)$")
                        .matcher(text("/proc/self/cgroup"));
        while (each.find()) {
            Path root = Path.of(each.group(2) == null ? GROUPS : GROUPS + "/pids");
            left = Math.min(left, controlGroup(root, root.resolve(each.group(3)).normalize()));
        }
        return left;
    }

    private static long controlGroup(Path root, Path own) {
        long left = Long.MAX_VALUE;
        for (Path group = own; group != null && group.startsWith(root); group = group.getParent()) {
            long most = found(group + "/pids.max", "^([0-9]+)");
            if (most < Long.MAX_VALUE) {
                left = Math.min(left, most - found(group + "/pids.current", "^([0-9]+)"));
            }
        }
        return left;
    }

    /** The number in a file, or the largest long if there is none. */
    private static long found(String path, String pattern) {
        Matcher number = Pattern.compile(pattern).matcher(text(path));
        return number.find() ? Long.parseLong(number.group(1)) : Long.MAX_VALUE;
    }

    /** Files of /proc have no length, and some can only be read in one piece. */
    private static String text(String path) {
        try (InputStream file = new FileInputStream(path)) {
            return new String(file.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException absent) {
            return "";
        }
    }
}
