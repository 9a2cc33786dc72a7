/*
 * test_timestamps_live.c: kernel timestamps over real sockets: a request that the kernel
 * does not take at once is left out.
 */
#include <errno.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "loopback.h"
#include "peers.h"

#define TRANSFERS 10u

static uint8_t payload[60000];

static struct {
  uint64_t transfers, split, omitted, blocked;
  double response_ns, parts_ns; /* whole numbers */
} sums;

static void on_interval(void *context) {
  struct engine **engine = context;
  const struct interval *interval = interval_take(engine_intervals(*engine));
  sums.transfers += interval->counters[COUNT_TRANSFERS];
  for (unsigned i = 0; i < SPLIT_OMISSIONS; i++) sums.omitted += interval->counters[COUNT_OMITTED + i];
  sums.blocked += interval->counters[COUNT_OMITTED + OMITTED_SEND_BLOCKED];
  sums.split += interval->histograms[HISTOGRAM_SPLIT_RESPONSE].count;
  sums.response_ns += interval->histograms[HISTOGRAM_SPLIT_RESPONSE].sum;
  sums.parts_ns += interval->histograms[HISTOGRAM_SEND_DELAY].sum +
                   interval->histograms[HISTOGRAM_NETWORK_AND_SERVER].sum +
                   interval->histograms[HISTOGRAM_RECEIVE_DELAY].sum;
  interval_release(engine_intervals(*engine));
}

static struct engine_settings stamped(const struct endpoint *endpoint, uint32_t slots) {
  struct engine_settings settings = loopback_settings(endpoint, slots);
  settings.protocol = &protocol_echo;
  settings.payload = payload;
  settings.payload_bytes = sizeof payload;
  settings.workload = &workload_continuous;
  settings.interval_ns = NS_PER_SECOND / 10;
  settings.timestamps_one_in = 1;
  return settings;
}

/* The last part of a request leaves once the peer has read the others: the time until then is not the client's. */
TEST(blocked_sends_are_left_out) {
  struct endpoint endpoint;
  struct peers peers = {.listener = loopback_listen(0, 128, &endpoint), .hear = peers_echo};
  const struct schedule_point points[] = {{0, 2, false}};
  struct engine *engine;
  /* Segments this short keep the client's send buffer below a request, and little is sent ahead of the peer. */
  const int segment_bytes = 536, receive_bytes = 4096;
  setsockopt(peers.listener, IPPROTO_TCP, TCP_MAXSEG, &segment_bytes, sizeof segment_bytes);
  setsockopt(peers.listener, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
  peers_start(&peers);
  struct engine_settings settings = stamped(&endpoint, 2);
  settings.schedule = (struct schedule){points, 1};
  settings.steady_to_ns = 60 * NS_PER_SECOND;
  settings.transfers = TRANSFERS;
  settings.backoff = (struct backoff){NS_PER_SECOND / 1000, NS_PER_SECOND / 100, 2.0};
  settings.on_interval = on_interval;
  settings.on_interval_context = &engine;
  memset(&sums, 0, sizeof sums);
  CHECK_EQUAL(engine_create(&settings, &engine), 0);
  CHECK_EQUAL(engine_run(engine, clock_monotonic_ns(NULL)), 0);
  engine_destroy(engine);
  peers_stop(&peers);
  CHECK_EQUAL(sums.transfers, TRANSFERS);
  CHECK_EQUAL(sums.split + sums.omitted, sums.transfers);
  CHECK_EQUAL(sums.parts_ns, sums.response_ns);
  CHECK(sums.blocked > 0);
}

TEST(without_tcp_there_are_none) {
  struct endpoint endpoint = {.family = AF_UNIX, .transport = SOCK_STREAM};
  struct engine *engine;
  struct engine_settings settings = stamped(&endpoint, 1);
  CHECK_EQUAL(engine_create(&settings, &engine), -EINVAL);
  endpoint = (struct endpoint){.family = AF_INET, .transport = SOCK_DGRAM};
  CHECK_EQUAL(engine_create(&settings, &engine), -EINVAL);
  endpoint = (struct endpoint){.family = AF_INET, .transport = SOCK_STREAM, .protocol = IPPROTO_SCTP};
  CHECK_EQUAL(engine_create(&settings, &engine), -EINVAL);
}
