/*
 * test_timestamps_live.c: response times split by the timestamps of this kernel, on each transport backend: the delay
 * of a server is found in the middle part, that of a client in the last one.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "backends.h"
#include "peers.h"

#define MS UINT64_C(1000000)
#define LEG_MS 1200u
#define LONGEST_LEG_MS 30000u
#define STOP_MS 60u

static uint8_t payload[60000];

struct sums {
  uint64_t transfers, omitted[SPLIT_OMISSIONS];
  struct histogram response, send_delay, network_and_server, receive_delay;
};

static struct sums sums;

/* In how many intervals a transfer waited for the client for nearly a whole stop, and that was nearly all of the
   longest response time. */
static unsigned stops_seen;

/* What the client does each time an interval ends: it stops, or its core is busy with something else. */
static struct { uint64_t stops_ns, computes_ns; } client;

static void sleep_ns(uint64_t ns) {
  struct timespec left = {.tv_sec = (time_t)(ns / NS_PER_SECOND), .tv_nsec = (long)(ns % NS_PER_SECOND)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

static void compute_ns(uint64_t ns) {
  uint64_t end_ns = clock_monotonic_ns(NULL) + ns;
  while (clock_monotonic_ns(NULL) < end_ns) continue;
}

static void add(struct histogram *to, const struct histogram *from) {
  to->count += from->count;
  to->sum += from->sum;
  if (from->count > 0 && from->min < to->min) to->min = from->min;
  if (from->max > to->max) to->max = from->max;
}

static bool client_is_slow(void) { return client.stops_ns + client.computes_ns > 0; }

/* Its stop was nearly all of a response time, and another transfer was with the server for hardly longer than that
   takes. */
static bool saw_slow_client(void) { return stops_seen > 0 && sums.network_and_server.min <= 6 * MS; }

/* Where the server was late as well, because this machine is busy, the stop is a smaller part of the response time. */
static void look_for_stop(const struct interval *interval) {
  if (interval->receive_delay.max < STOP_MS * MS * 9 / 10) return;
  if (interval->receive_delay.max >= interval->split_response.max * 9 / 10) stops_seen++;
}

/* On the engine's thread: reads the interval, and may keep the client from its work for a while. The leg of a slow
   client ends once it has been seen, which takes long on a busy machine. */
static void on_interval(void *context) {
  struct engine **engine = context;
  const struct interval *interval = interval_take(engine_intervals(*engine));
  sums.transfers += interval->counters[COUNT_TRANSFERS];
  for (unsigned i = 0; i < SPLIT_OMISSIONS; i++) sums.omitted[i] += interval->counters[COUNT_OMITTED + i];
  add(&sums.response, &interval->split_response);
  add(&sums.send_delay, &interval->send_delay);
  add(&sums.network_and_server, &interval->network_and_server);
  add(&sums.receive_delay, &interval->receive_delay);
  look_for_stop(interval);
  bool last = interval->last;
  interval_release(engine_intervals(*engine));
  if (last) return;
  if (client_is_slow() && saw_slow_client()) engine_drain(*engine, 0);
  if (client.stops_ns > 0) sleep_ns(client.stops_ns);
  if (client.computes_ns > 0) compute_ns(client.computes_ns);
}

/* A server that takes CONTEXT ns. */
static bool echo_late(void *context, void *peer, int fd, const uint8_t *bytes, size_t length) {
  sleep_ns(*(const uint64_t *)context);
  return peers_echo(NULL, peer, fd, bytes, length);
}

static int send_buffer_bytes; /* of the sockets of the next leg; 0: the kernel's */

/* A leg of SLOTS connections, whose transfers are all split. */
static void run_leg(uint32_t slots, uint32_t pipeline, size_t payload_bytes, uint64_t server_takes_ns,
                    enum timestamps_choice timestamps) {
  struct endpoint endpoint;
  struct peers peers = {.listener = backends_listen(0, 128, &endpoint), .hear = echo_late, .context = &server_takes_ns};
  const struct schedule_point points[] = {{0, slots, false}};
  struct engine *engine;
  endpoint.socket.send_bytes = send_buffer_bytes;
  sums = (struct sums){0};
  stops_seen = 0;
  sums.response.min = sums.send_delay.min = sums.network_and_server.min = sums.receive_delay.min = UINT64_MAX;
  peers_start(&peers);
  struct engine_settings settings = backends_settings(&endpoint, slots);
  settings.protocol = &protocol_echo;
  settings.payload = payload;
  settings.payload_bytes = payload_bytes;
  settings.workload = &workload_continuous;
  settings.pipeline = pipeline;
  settings.schedule = (struct schedule){points, 1};
  settings.steady_from_ns = 100 * MS;
  settings.steady_to_ns = (client_is_slow() ? LONGEST_LEG_MS : LEG_MS) * MS;
  settings.interval_ns = 100 * MS;
  settings.backoff = (struct backoff){MS, 10 * MS, 2.0};
  settings.timestamps = timestamps;
  settings.on_interval = on_interval;
  settings.on_interval_context = &engine;
  CHECK_EQUAL(engine_create(&settings, &engine), 0);
  CHECK_EQUAL(engine_run(engine, clock_monotonic_ns(NULL)), 0);
  engine_destroy(engine);
  peers_stop(&peers);
}

static uint64_t omitted(void) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < SPLIT_OMISSIONS; i++) sum += sums.omitted[i];
  return sum;
}

/* The kernel may lose a stamp, and the clock of the stamps may be set, at any time: seldom. */
static bool few_omitted(void) {
  const uint64_t *each = sums.omitted;
  uint64_t by_chance = each[OMITTED_NO_SEND_STAMP] + each[OMITTED_NO_REPLY_STAMP] + each[OMITTED_CLOCK_STEPPED] +
                       each[OMITTED_OUT_OF_ORDER];
  return omitted() == by_chance && by_chance <= 1 + sums.response.count / 100;
}

static void check_sums(void) {
  CHECK_EQUAL(sums.response.count + omitted(), sums.transfers);
  CHECK_EQUAL(sums.response.sum, sums.send_delay.sum + sums.network_and_server.sum + sums.receive_delay.sum);
}

/* The least of each part is what it is where the machine does not disturb it. */
static void the_delay_of_a_server_is_its_own(void) {
  run_leg(1, 1, 10, 20 * MS, TIMESTAMPS_ALL);
  check_sums();
  CHECK(sums.response.count >= 10);
  CHECK(few_omitted());
  CHECK(sums.network_and_server.min >= 20 * MS);
  CHECK(sums.network_and_server.min <= 22 * MS);
  CHECK(sums.send_delay.min <= 2 * MS);
  CHECK(sums.receive_delay.min <= 2 * MS);
}

/* Replies that came while the client did not work for STOP_MS: of four requests some are at the server at any time. */
static void run_slow_client(void) {
  run_leg(4, 1, 10, MS, TIMESTAMPS_ALL);
  client.stops_ns = client.computes_ns = 0;
  check_sums();
  CHECK(few_omitted());
  CHECK(saw_slow_client());
}

static void the_delay_of_a_stopped_client_is_its_own(void) {
  client.stops_ns = STOP_MS * MS;
  run_slow_client();
}

static void the_delay_of_a_busy_client_is_its_own(void) {
  client.computes_ns = STOP_MS * MS;
  run_slow_client();
}

static void pipelined_requests_find_their_own_stamps(void) {
  run_leg(3, 4, 10, MS / 2, TIMESTAMPS_ALL);
  check_sums();
  CHECK(sums.response.count > 0);
  CHECK_EQUAL(sums.omitted[OMITTED_SENT_TOGETHER] + sums.omitted[OMITTED_READ_TOGETHER] +
                  sums.omitted[OMITTED_NO_SEND_STAMP],
              omitted());
}

static void a_sample_is_split_while_the_others_go_on(void) {
  run_leg(100, 1, 1000, MS / 5, TIMESTAMPS_SAMPLE);
  CHECK(few_omitted());
  CHECK(sums.response.count > 0 && sums.response.count < sums.transfers);
}

/* The last part of a request leaves once the peer has read the others: the time until then is not the client's. */
static void blocked_sends_are_left_out(void) {
  send_buffer_bytes = 4096;
  run_leg(2, 1, sizeof payload, MS, TIMESTAMPS_ALL);
  send_buffer_bytes = 0;
  check_sums();
  CHECK(table != &transport_epoll || sums.omitted[OMITTED_SEND_BLOCKED] > 0); /* io_uring cannot know */
}

static void without_tcp_there_are_none(void) {
  struct endpoint endpoint = {.family = AF_UNIX, .transport = SOCK_STREAM};
  struct engine *engine;
  struct engine_settings settings = backends_settings(&endpoint, 1);
  settings.protocol = &protocol_echo;
  settings.payload = payload;
  settings.payload_bytes = 1;
  settings.workload = &workload_continuous;
  settings.interval_ns = 100 * MS;
  settings.timestamps = TIMESTAMPS_ALL;
  CHECK_EQUAL(engine_create(&settings, &engine), -EINVAL);
  endpoint = (struct endpoint){.family = AF_INET, .transport = SOCK_DGRAM};
  CHECK_EQUAL(engine_create(&settings, &engine), -EINVAL);
  endpoint = (struct endpoint){.family = AF_INET, .transport = SOCK_STREAM, .protocol = IPPROTO_SCTP};
  CHECK_EQUAL(engine_create(&settings, &engine), -EINVAL);
}

static const struct check_test tests[] = {
    {"the delay of a server is its own", the_delay_of_a_server_is_its_own},
    {"the delay of a stopped client is its own", the_delay_of_a_stopped_client_is_its_own},
    {"the delay of a busy client is its own", the_delay_of_a_busy_client_is_its_own},
    {"pipelined requests find their own stamps", pipelined_requests_find_their_own_stamps},
    {"a sample is split while the others go on", a_sample_is_split_while_the_others_go_on},
    {"blocked sends are left out", blocked_sends_are_left_out},
    {"without TCP there are none", without_tcp_there_are_none},
};

BACKENDS_MAIN(tests)
