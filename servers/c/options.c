/* Command line of the C servers. The one thing to know: a model that does not take an option refuses
 * it (exit 2) rather than ignoring it. */
#include "server.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_HOST = 256, OPTION_BACKLOG, OPTION_PROTOCOL, OPTION_MAX_CHILDREN, OPTION_PROCESSES, OPTION_HELP };

static const struct option long_options[] = {
    {"port", required_argument, NULL, 'p'},
    {"host", required_argument, NULL, OPTION_HOST},
    {"backlog", required_argument, NULL, OPTION_BACKLOG},
    {"protocol", required_argument, NULL, OPTION_PROTOCOL},
    {"max-children", required_argument, NULL, OPTION_MAX_CHILDREN},
    {"processes", required_argument, NULL, OPTION_PROCESSES},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

static void print_usage(FILE *to) {
  fprintf(to,
          "Usage: %s [options]\n%s\n\n"
          "  -p, --port N         TCP port to listen on; 0 lets the kernel pick (default 0)\n"
          "      --host ADDRESS   address to listen on (default 127.0.0.1)\n"
          "      --backlog N      length of the accept queue; net.core.somaxconn caps it (default 4096)\n"
          "      --protocol NAME  one of: %s (default echo)\n",
          server_model.name, server_model.summary, protocol_names());
  if (server_model.takes_max_children) {
    fprintf(to, "      --max-children N most connections served at once; further ones wait in the accept\n"
                "                       queue (default: what the machine's limits leave)\n");
  }
  if (server_model.takes_processes) {
    fprintf(to,
            "      --processes N    serve from N processes, 1 to %d, with a listener, a loop and descriptors\n"
            "                       of its own each (default 1)\n",
            SERVER_PROCESSES_MOST);
  }
  fprintf(to, "      --help           this text\n");
}

static _Noreturn void refuse(const char *option, const char *value, const char *expected) {
  fprintf(stderr, "%s: %s %s: expected %s\n", server_model.name, option, value, expected);
  exit(2);
}

static long parse_number(const char *option, const char *text, long low, long high, const char *expected) {
  char *end = NULL;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || value < low || value > high) {
    refuse(option, text, expected);
  }
  return value;
}

void options_parse(struct options *options, int argc, char **argv) {
  *options = (struct options){.host = "127.0.0.1", .backlog = 4096, .processes = 1, .protocol = protocol_find("echo")};
  for (int key; (key = getopt_long(argc, argv, "p:", long_options, NULL)) != -1;) {
    switch (key) {
    case 'p': options->port = (uint16_t)parse_number("--port", optarg, 0, 65535, "0 to 65535"); break;
    case OPTION_HOST: options->host = optarg; break;
    case OPTION_BACKLOG:
      options->backlog = (int)parse_number("--backlog", optarg, 1, 1 << 30, "a number from 1");
      break;
    case OPTION_PROTOCOL:
      options->protocol = protocol_find(optarg);
      if (options->protocol == NULL) {
        refuse("--protocol", optarg, protocol_names());
      }
      break;
    case OPTION_MAX_CHILDREN:
      if (!server_model.takes_max_children) {
        refuse("--max-children", optarg, "another model: this one starts no children");
      }
      options->max_children = parse_number("--max-children", optarg, 1, 1 << 30, "a number from 1");
      break;
    case OPTION_PROCESSES:
      if (!server_model.takes_processes) {
        refuse("--processes", optarg, "another model: this one serves from a single process");
      }
      options->processes = parse_number("--processes", optarg, 1, SERVER_PROCESSES_MOST, "1 to 1024");
      break;
    case OPTION_HELP: print_usage(stdout); exit(0);
    default: /* getopt_long has said what it does not know */ print_usage(stderr); exit(2);
    }
  }
  if (optind < argc) {
    refuse("argument", argv[optind], "options only");
  }
}
