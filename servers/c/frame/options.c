/* Command line of the C servers. An option that a model does not have is rejected with exit status 2, not ignored. */
#include "../server.h"
#include "sctp.h"
#include "unix.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  OPTION_HOST = 256,
  OPTION_TRANSPORT,
  OPTION_BACKLOG,
  OPTION_PROTOCOL,
  OPTION_VOLLEY_STOP,
  OPTION_WORK,
  OPTION_WORK_KIND,
  OPTION_WORK_SEED,
  OPTION_NODELAY,
  OPTION_IDLE_TIMEOUT,
  OPTION_THREADS,
  OPTION_PROCESSES,
  OPTION_MAX_CHILDREN,
  OPTION_CHECK,
  OPTION_HELP
};

static const struct option long_options[] = {
    {"port", required_argument, NULL, 'p'},
    {"host", required_argument, NULL, OPTION_HOST},
    {"transport", required_argument, NULL, OPTION_TRANSPORT},
    {"backlog", required_argument, NULL, OPTION_BACKLOG},
    {"protocol", required_argument, NULL, OPTION_PROTOCOL},
    {"volley-stop", no_argument, NULL, OPTION_VOLLEY_STOP},
    {"work", required_argument, NULL, OPTION_WORK},
    {"work-kind", required_argument, NULL, OPTION_WORK_KIND},
    {"work-seed", required_argument, NULL, OPTION_WORK_SEED},
    {"nodelay", required_argument, NULL, OPTION_NODELAY},
    {"idle-timeout", required_argument, NULL, OPTION_IDLE_TIMEOUT},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"processes", required_argument, NULL, OPTION_PROCESSES},
    {"max-children", required_argument, NULL, OPTION_MAX_CHILDREN},
    {"check", no_argument, NULL, OPTION_CHECK},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

static const char *const work_kinds[] = {[WORK_WAIT] = "wait", [WORK_BLOCK] = "block", [WORK_SPIN] = "spin"};

static long processor_count(void) {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

static void print_usage(FILE *to) {
  fprintf(to,
          "Usage: %s [options]\n%s\n\n"
          "  -p, --port N         port to listen on; 0: chosen by the kernel (default 0)\n"
          "      --host ADDRESS   address to listen on, or unix:PATH (default 127.0.0.1)\n"
          "      --backlog N      length of the accept queue, at most net.core.somaxconn (default 4096)\n"
          "      --protocol NAME  one of: %s (default echo)\n"
          "      --volley-stop    with volley: a word of zero ends the server\n"
          "      --work A-B       simulated work of each request, drawn from A to B, such as 30ms-50ms\n"
          "      --work-kind KIND wait: the reply is sent after that time (default); block: the serving\n"
          "                       thread sleeps; spin: it uses that much CPU time\n"
          "      --work-seed N    seed of the random numbers for --work (default 1)\n"
          "      --nodelay on|off TCP_NODELAY (default on)\n"
          "      --idle-timeout T closes connections that are idle for T, such as 30s (default: never)\n",
          server_model.name, server_model.summary, protocol_names());
  if (server_model.serves_sctp) {
    fprintf(to,
            "      --transport NAME one of: %s (default tcp)\n"
            "                       With SCTP, --host may be a list of addresses: A,B\n",
            sctp_transport_names());
  }
  if (server_model.threads != 0) {
    fprintf(to, "      --threads N      serving threads, 1 to %d (default ", SERVER_MAX_THREADS);
    if (server_model.threads > 0) {
      fprintf(to, "%ld)\n", server_model.threads);
    } else {
      fprintf(to, "one per CPU, here %ld)\n", processor_count());
    }
  }
  if (server_model.max_children != NULL) {
    fprintf(to,
            "      --max-children N maximum of %s, one per connection; further connections wait in the\n"
            "                       accept queue (default: as many as the machine's limits allow)\n",
            server_model.max_children);
  }
  if (server_model.processes == PROCESSES_OWN_LISTENERS) {
    fprintf(to,
            "      --processes N    number of serving processes, 1 to %d, each with its own listener\n"
            "                       (SO_REUSEPORT), loop and descriptors (default 1%s)\n",
            SERVER_MAX_PROCESSES, server_model.threads == 0 ? ", which uses one core" : "");
  }
  if (server_model.processes == PROCESSES_SHARED_LISTENER) {
    fprintf(to,
            "      --processes N    serving processes, 1 to %d, each serving one connection at a time (default %ld)\n",
            SERVER_MAX_PROCESSES, server_model.default_processes);
  }
  fprintf(to, "      --check          ends at once: status 0, or the reason why this machine cannot run it, and 1\n"
              "      --help           prints this text\n");
}

static _Noreturn void reject_option(const char *option, const char *value, const char *expected) {
  fprintf(stderr, "%s: %s %s: expected %s\n", server_model.name, option, value, expected);
  exit(2);
}

static long parse_number(const char *option, const char *text, long low, long high, const char *expected) {
  char *end = NULL;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || value < low || value > high) {
    reject_option(option, text, expected);
  }
  return value;
}

static void parse_work(struct work_plan *work, const char *text) {
  static const char expected[] = "a duration or a range of them, such as 30ms-50ms, up to an hour";
  char least[64];
  const char *dash = strchr(text, '-');
  const size_t count = dash == NULL ? strlen(text) : (size_t)(dash - text);
  if (count >= sizeof least) {
    reject_option("--work", text, expected);
  }
  memcpy(least, text, count);
  least[count] = '\0';
  work->min_ns = duration_parse(least);
  work->max_ns = dash == NULL ? work->min_ns : duration_parse(dash + 1);
  if (work->min_ns < 0 || work->max_ns < work->min_ns) {
    reject_option("--work", text, expected);
  }
  work->any = work->max_ns > 0;
}

static enum work_kind parse_work_kind(const char *text) {
  for (size_t i = 0; i < sizeof work_kinds / sizeof work_kinds[0]; i++) {
    if (strcmp(text, work_kinds[i]) == 0) {
      return (enum work_kind)i;
    }
  }
  reject_option("--work-kind", text, "wait, block or spin");
}

static bool parse_switch(const char *option, const char *text) {
  if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0) {
    reject_option(option, text, "on or off");
  }
  return text[1] == 'n';
}

/* Counts that only some models have. */
static void parse_count_option(struct options *options, int key, const char *text) {
  if (key == OPTION_THREADS) {
    if (server_model.threads == 0) {
      reject_option("--threads", text, "a model with threads; this one has no such option");
    }
    options->threads = parse_number("--threads", text, 1, SERVER_MAX_THREADS, "1 to 1024");
  } else if (key == OPTION_PROCESSES) {
    if (server_model.processes == PROCESSES_UNSUPPORTED) {
      reject_option("--processes", text, "a model with processes; this one has no such option");
    }
    options->processes = parse_number("--processes", text, 1, SERVER_MAX_PROCESSES, "1 to 1024");
  } else {
    if (server_model.max_children == NULL) {
      reject_option("--max-children", text,
                    "a model with a thread or process per connection; this one has no such option");
    }
    options->max_children = parse_number("--max-children", text, 1, 1 << 30, "a number from 1");
  }
}

static void parse_work_option(struct work_plan *work, int key, const char *text) {
  if (key == OPTION_WORK) {
    parse_work(work, text);
  } else if (key == OPTION_WORK_KIND) {
    work->kind = parse_work_kind(text);
  } else {
    work->seed = (uint64_t)parse_number("--work-seed", text, 0, 1L << 53, "0 to 2^53");
  }
}

static const struct protocol *parse_protocol(const char *text) {
  const struct protocol *protocol = protocol_find(text);
  if (protocol == NULL) {
    reject_option("--protocol", text, protocol_names());
  }
  return protocol;
}

static int64_t parse_idle(const char *text) {
  const int64_t idle_ns = duration_parse(text);
  if (idle_ns < 1000000) {
    reject_option("--idle-timeout", text, "a duration from 1ms to an hour, such as 30s");
  }
  return idle_ns;
}

/* Combinations in which an option would have no effect, or cannot work. */
static void check_transport(const struct options *options) {
  if (options->transport == TRANSPORT_TCP) {
    if (strchr(options->host, ',') != NULL && unix_path(options->host) == NULL) {
      reject_option("--host", options->host, "one address; a list needs --transport sctp or sctp-seqpacket");
    }
    return;
  }
  if (unix_path(options->host) != NULL) {
    reject_option("--host", options->host, "an IP address, because SCTP has no unix sockets");
  }
  if (options->processes > 1) {
    reject_option("--processes", "with SCTP", "one process");
  }
}

void options_parse(struct options *options, int argc, char **argv) {
  const long threads = server_model.threads == -1 ? processor_count() : server_model.threads;
  *options = (struct options){
      .host = "127.0.0.1",
      .backlog = 4096,
      .nodelay = true,
      .threads = threads,
      .processes = server_model.default_processes > 0 ? server_model.default_processes : 1,
      .work = {.kind = WORK_WAIT, .seed = 1},
      .protocol = protocol_find("echo"),
  };
  bool work = false, kind = false, stop = false;
  for (int key; (key = getopt_long(argc, argv, "p:", long_options, NULL)) != -1;) {
    switch (key) {
    case 'p': options->port = (uint16_t)parse_number("--port", optarg, 0, 65535, "0 to 65535"); break;
    case OPTION_HOST: options->host = optarg; break;
    case OPTION_TRANSPORT:
      if (!sctp_transport_parse(optarg, &options->transport)) {
        reject_option("--transport", optarg, sctp_transport_names());
      }
      break;
    case OPTION_BACKLOG:
      options->backlog = (int)parse_number("--backlog", optarg, 1, 1 << 30, "a number from 1");
      break;
    case OPTION_PROTOCOL: options->protocol = parse_protocol(optarg); break;
    case OPTION_VOLLEY_STOP: stop = true; break;
    case OPTION_WORK:
    case OPTION_WORK_KIND:
    case OPTION_WORK_SEED:
      work = work || key == OPTION_WORK;
      kind = kind || key != OPTION_WORK;
      parse_work_option(&options->work, key, optarg);
      break;
    case OPTION_NODELAY: options->nodelay = parse_switch("--nodelay", optarg); break;
    case OPTION_IDLE_TIMEOUT: options->idle_ns = parse_idle(optarg); break;
    case OPTION_THREADS:
    case OPTION_PROCESSES:
    case OPTION_MAX_CHILDREN: parse_count_option(options, key, optarg); break;
    case OPTION_CHECK: exit(server_model.is_supported == NULL || server_model.is_supported() ? 0 : 1);
    case OPTION_HELP: print_usage(stdout); exit(0);
    default: /* getopt_long has printed the unknown option */ print_usage(stderr); exit(2);
    }
  }
  const char *path = unix_path(options->host);
  if (path != NULL && (path[0] == '\0' || options->port != 0)) {
    reject_option("--host", options->host, path[0] == '\0' ? "unix:PATH" : "unix:PATH without --port");
  }
  check_transport(options);
  if (optind < argc) {
    reject_option("argument", argv[optind], "options only");
  }
  if (kind && !work) {
    reject_option("--work-kind, --work-seed", "without --work", "--work as well");
  }
  if (stop) {
    options->protocol = protocol_with_stop(options->protocol);
    if (options->protocol == NULL) {
      reject_option("--volley-stop", "with another protocol", "--protocol volley");
    }
  }
}
