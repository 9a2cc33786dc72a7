/*
 * engine-loop: the engine's core in a program of its own, without Node, that makes a given number of transfers. The one
 * thing to know: two runs that differ in that number alone show what a transfer takes, to the instruction and to the
 * system call, because all else falls out of the difference.
 *
 *   engine-loop PORT CONNECTIONS PAYLOAD_BYTES TRANSFERS IO WORKLOAD LOG
 *
 * IO: epoll or io_uring. WORKLOAD: continuous or reconnect. LOG: a file for the transfer log. Everything else is as
 * shipped: each reply is verified, a sample of transfers has kernel timestamps, each has a deadline. The connections of
 * `continuous` open during OPENING_NS and transfer after that.
 *
 * Prints one line of JSON about the time after OPENING_NS: transfers, voluntarySwitches (how often the engine's thread
 * slept), cpuSeconds and seconds; and medians of the response time and of its parts, in ns, 0 where there are none. Any
 * error or lost connection ends it with a message and status 1.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "../../../client/engine/core/engine.h"

#define OPENING_NS (NS_PER_SECOND / 5) /* of the first 1,000 connections; more take in proportion */

struct use {
  uint64_t at_ns, voluntary_switches;
  double cpu_seconds;
};

struct parts {
  struct histogram response, send_delay, network_and_server, receive_delay;
};

struct loop {
  struct engine *engine;
  struct parts *parts;
  uint64_t transfers, failures;
  bool is_open; /* OPENING_NS are over */
  uint64_t transfers_before;
  struct use before;
};

static void give_up(const char *what) {
  fprintf(stderr, "engine-loop: %s\n", what);
  exit(1);
}

static double seconds_of(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

/* On the engine's thread. */
static struct use read_use(void) {
  struct rusage thread, process;
  getrusage(RUSAGE_THREAD, &thread);
  getrusage(RUSAGE_SELF, &process);
  return (struct use){.at_ns = clock_monotonic_ns(NULL),
                      .voluntary_switches = (uint64_t)thread.ru_nvcsw,
                      .cpu_seconds = seconds_of(process.ru_utime) + seconds_of(process.ru_stime)};
}

static void add(struct histogram *sum, const struct histogram *part) {
  for (uint32_t i = part->first; i <= part->last && part->count > 0; i++) sum->counts[i] += part->counts[i];
  sum->count += part->count;
}

static unsigned long long median(const struct histogram *histogram) {
  uint64_t below = 0;
  for (uint32_t i = 0; i < HISTOGRAM_COUNTS; i++) {
    below += histogram->counts[i];
    if (2 * below > histogram->count) return histogram_value(i);
  }
  return 0;
}

static void take_intervals(void *context) {
  struct loop *loop = context;
  for (const struct interval *interval; (interval = interval_take(engine_intervals(loop->engine)));) {
    loop->transfers += interval->counters[COUNT_TRANSFERS];
    for (unsigned i = 0; i < REJECT_CAUSES; i++) loop->failures += interval->counters[COUNT_REJECTS + i];
    for (unsigned i = 0; i < ERROR_CAUSES; i++) loop->failures += interval->counters[COUNT_ERRORS + i];
    add(&loop->parts->response, &interval->split_response);
    add(&loop->parts->send_delay, &interval->send_delay);
    add(&loop->parts->network_and_server, &interval->network_and_server);
    add(&loop->parts->receive_delay, &interval->receive_delay);
    interval_release(engine_intervals(loop->engine));
  }
  if (loop->is_open) return;
  loop->is_open = true;
  loop->transfers_before = loop->transfers;
  loop->before = read_use();
}

static struct transfer_log *open_log(const char *path) {
  struct transfer_log *log = NULL;
  if (transfer_log_open(path, NULL, 0, &log) != 0) give_up("the transfer log cannot be opened");
  return log;
}

int main(int count, char **arguments) {
  if (count < 8) {
    fprintf(stderr, "usage: engine-loop PORT CONNECTIONS PAYLOAD_BYTES TRANSFERS IO WORKLOAD LOG\n");
    return 2;
  }
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  struct endpoint endpoint = {.family = AF_INET, .transport = SOCK_STREAM, .socket.nodelay = true};
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1]))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  memcpy(&endpoint.address, &address, sizeof address);
  endpoint.address_length = sizeof address;
  uint32_t connections = (uint32_t)strtoul(arguments[2], NULL, 10);
  size_t payload_bytes = strtoul(arguments[3], NULL, 10);
  uint8_t *payload = malloc(payload_bytes);
  if (!payload) give_up("out of memory");
  for (size_t i = 0; i < payload_bytes; i++) payload[i] = (uint8_t)(i * 2654435761u >> 24);
  uint64_t opening_ns = OPENING_NS * (1 + connections / 1000);
  struct loop loop = {.parts = calloc(1, sizeof *loop.parts)};
  if (!loop.parts) give_up("out of memory");
  const struct schedule_point points[] = {{0, connections, false}};
  struct engine_settings settings = {
      .stride = 1,
      .slots = connections,
      .endpoints = &endpoint,
      .endpoint_count = 1,
      .transport = transport_find(arguments[5]),
      .clock = {clock_monotonic_ns, NULL},
      .protocol = &protocol_echo,
      .payload = payload,
      .payload_bytes = payload_bytes,
      .workload = workload_find(arguments[6]),
      .workload_settings = {.first_request_ns = opening_ns},
      .schedule = {points, 1},
      .steady_from_ns = opening_ns,
      .steady_to_ns = 3600 * NS_PER_SECOND,
      .connect_timeout_ns = 10 * NS_PER_SECOND,
      .transfer_timeout_ns = 30 * NS_PER_SECOND,
      .drain_timeout_ns = NS_PER_SECOND,
      .interval_ns = opening_ns,
      .backoff = {100000000, 10 * NS_PER_SECOND, 2.0},
      .transfers = strtoull(arguments[4], NULL, 10),
      .timestamps_one_in = TIMESTAMPS_SAMPLE,
      .seed = 1,
      .pipeline = 1,
      .log = open_log(arguments[7]),
      .on_interval = take_intervals,
      .on_interval_context = &loop,
  };
  if (!settings.transport || !settings.workload) give_up("no such transport or workload");
  settings.t0_ns = clock_monotonic_ns(NULL);
  if (engine_create(&settings, &loop.engine) != 0) give_up("the engine cannot be created");
  if (engine_run(loop.engine, clock_monotonic_ns(NULL)) != 0) give_up("the engine failed");
  struct use after = read_use();
  engine_destroy(loop.engine);
  if (settings.log) {
    struct transfer_log_result result;
    transfer_log_close(settings.log, &result);
    if (result.error) give_up("the transfer log ended early");
  }
  if (loop.failures > 0) give_up("connections were lost or rejected");
  printf("{\"transfers\":%llu,\"voluntarySwitches\":%llu,\"cpuSeconds\":%.6f,\"seconds\":%.6f,",
         (unsigned long long)(loop.transfers - loop.transfers_before),
         (unsigned long long)(after.voluntary_switches - loop.before.voluntary_switches),
         after.cpu_seconds - loop.before.cpu_seconds, (double)(after.at_ns - loop.before.at_ns) / 1e9);
  printf("\"responseNs\":%llu,\"sendDelayNs\":%llu,\"networkAndServerNs\":%llu,\"receiveDelayNs\":%llu}\n",
         median(&loop.parts->response), median(&loop.parts->send_delay), median(&loop.parts->network_and_server),
         median(&loop.parts->receive_delay));
  free(loop.parts);
  free(payload);
  return 0;
}
