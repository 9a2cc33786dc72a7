// The command line. Errors are reported on stderr with exit status 2 before anything listens;
// the message has the option, the value and what was expected.

package broadside;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

final class Options {
    private static final int THREADS_MOST = 1024;
    private static final Set<String> VALUED =
            Set.of("port", "host", "backlog", "protocol", "work", "work-kind", "work-seed");

    /** Options of single models. */
    enum Own {
        NONE("", ""),
        MAX_CHILDREN(
                "max-children",
                """
                      --max-children N most connections served at once; further ones wait in the
                                       accept queue (default: what the machine's limits leave)
                """),
        THREADS(
                "threads",
                """
                      --threads N      platform threads that carry the virtual ones (default: as
                                       many as there are CPUs)
                """);

        private final String key;
        private final String help;

        Own(String key, String help) {
            this.key = key;
            this.help = help;
        }
    }

    final int port;
    final String host;
    final int backlog;
    final String protocol;
    final boolean volleyStop;

    /** Null: requests need no work. */
    final Work work;

    /** The value of the option in Own; 0: not given. */
    final int own;

    private Options(Map<String, String> given, Own taken) {
        port = (int) number(given, "port", 0, 0, 65_535);
        host = given.getOrDefault("host", "127.0.0.1");
        backlog = (int) number(given, "backlog", 4096, 1, 1 << 30);
        protocol = given.getOrDefault("protocol", "echo");
        if (!Codec.NAMES.contains(protocol)) {
            throw refusal("protocol", protocol, "one of: " + String.join(", ", Codec.NAMES));
        }
        if (host.isEmpty()) {
            throw refusal("host", host, "an address");
        }
        volleyStop = given.containsKey("volley-stop");
        own = (int) number(given, taken.key, 0, 1, taken == Own.THREADS ? THREADS_MOST : 1 << 30);
        work = workOf(given);
    }

    /**
     * Parses the arguments of this process. Ends it with 0 after --help and with 2 after an error.
     *
     * @param own the option that only this model has
     */
    static Options read(String name, String summary, Own own, String[] words) {
        try {
            Map<String, String> given = split(words, own.key);
            if (!given.containsKey("help")) {
                return new Options(given, own);
            }
            System.out.print(usage(name, summary, own.help));
            System.exit(0);
        } catch (IllegalArgumentException wrong) {
            System.err.println(name + ": " + wrong.getMessage());
            System.exit(2);
        }
        throw new IllegalStateException("unreachable");
    }

    private static Map<String, String> split(String[] words, String own) {
        Map<String, String> given = new HashMap<>();
        for (int i = 0; i < words.length; i++) {
            String word = words[i];
            if (!word.startsWith("-") || word.equals("-") || word.equals("--")) {
                throw new IllegalArgumentException("argument " + word + ": expected options only");
            }
            boolean isShort = !word.startsWith("--");
            int equals = word.indexOf('=');
            int end = isShort ? Math.min(2, word.length()) : equals < 0 ? word.length() : equals;
            String key = isShort ? word.substring(1, end) : word.substring(2, end);
            String value = end == word.length() ? null : word.substring(isShort ? end : end + 1);
            if (isShort) {
                key = key.equals("p") ? "port" : "-" + key;
            }
            boolean isFlag = key.equals("volley-stop") || key.equals("help");
            boolean isValued = VALUED.contains(key) || (key.equals(own) && !own.isEmpty());
            if (!isFlag && !isValued) {
                throw new IllegalArgumentException("unknown option " + word + "; see --help");
            }
            if (isFlag && value != null) {
                throw refusal(key, value, "no value");
            }
            if (isValued && value == null) {
                if (++i == words.length) {
                    throw new IllegalArgumentException("--" + key + ": expected a value");
                }
                value = words[i];
            }
            given.put(key, isFlag ? "" : value);
        }
        return given;
    }

    private static long number(
            Map<String, String> given, String key, long otherwise, long low, long high) {
        String text = given.get(key);
        if (text == null) {
            return otherwise;
        }
        if (text.matches("[0-9]{1,18}")) {
            long value = Long.parseLong(text);
            if (value >= low && value <= high) {
                return value;
            }
        }
        throw refusal(key, text, "a number from " + low + " to " + high);
    }

    private static Work workOf(Map<String, String> given) {
        long seed = number(given, "work-seed", 1, 0, 1L << 53);
        String kind = given.get("work-kind");
        String text = given.get("work");
        if (text == null) {
            if (kind != null) {
                throw refusal("work-kind", kind, "--work as well: how long the work takes");
            }
            return null;
        }
        Work work = Work.parse(text, kind == null ? Work.Kind.WAIT : kindOf(kind), seed);
        if (work == null) {
            throw refusal(
                    "work",
                    text,
                    "A-B or A, as in 30ms-50ms or 1.5ms (ns, us, ms, s), A not above B, B up to"
                            + " 3600s");
        }
        return work;
    }

    private static Work.Kind kindOf(String text) {
        return switch (text) {
            case "wait" -> Work.Kind.WAIT;
            case "block" -> Work.Kind.BLOCK;
            case "spin" -> Work.Kind.SPIN;
            default -> throw refusal("work-kind", text, "one of: wait, block, spin");
        };
    }

    private static IllegalArgumentException refusal(String option, String value, String expected) {
        return new IllegalArgumentException("--" + option + " " + value + ": expected " + expected);
    }

    private static String usage(String name, String summary, String own) {
        return """
        Usage: %s [options]
        %s

          -p, --port N         port to listen on; 0: chosen by the kernel (default 0)
              --host ADDRESS   address to listen on (default 127.0.0.1)
              --backlog N      length of the accept queue, at most net.core.somaxconn (default 4096)
              --protocol NAME  one of: %s (default echo)
              --volley-stop    with volley: a word of zero ends the server
              --work A-B       simulated work of each request, drawn from A to B, such as 30ms-50ms
              --work-kind KIND wait: the reply is sent after that time (default); block: the thread
                               sleeps; spin: it uses that much CPU time
              --work-seed N    seed of the random numbers for --work, 0 to 2^53 (default 1)
        %s      --help           prints this text
        """
                .formatted(name, summary, String.join(", ", Codec.NAMES), own);
    }
}
