/*
 * test_allocations.c: a transfer allocates no memory, over the kernel's sockets. Without TLS, opening a connection
 * for each transfer allocates none either. Over TLS this holds below 2,000 slots, and OpenSSL itself may allocate
 * memory that it frees before the call returns. This program defines its own malloc(), which counts the calls of the
 * engine's thread, those of OpenSSL included; the peers run in other threads. Only calls between two intervals of the
 * same leg are counted, which leaves out its beginning and its end.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loopback.h"
#include "peers.h"

#ifdef HAVE_OPENSSL
#include "../../client/engine/core/transport/channel.h"
#include "tls_peer.h"
#endif

#define ACTIVE 8u
#define TRANSFERS 20000u
#define TRANSFERS_OF_RECONNECT 4000u /* peers.c serves no more connections than that */
#define WARM_TRANSFERS 1000u
#define PACKET_BYTES                                                                              \
  40u /* of OpenSSL's record of a packet that it is writing (WPACKET_SUB): two to four a transfer \
       */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t members, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

/* Of this thread: all, and those that are larger than PACKET_BYTES. */
static _Thread_local uint64_t allocations, large_allocations;

static void count(size_t size) {
  allocations++;
  large_allocations += size > PACKET_BYTES;
}

void *malloc(size_t size) {
  count(size);
  return __libc_malloc(size);
}

void *calloc(size_t members, size_t size) {
  count(members * size);
  return __libc_calloc(members, size);
}

void *realloc(void *memory, size_t size) {
  count(size);
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}

/* ---- a leg ---- */

struct reading {
  uint64_t transfers, allocations, large_allocations;
};

static struct {
  struct engine *engine;
  struct reading now, first, last; /* first: after the first WARM_TRANSFERS, when all connections are open */
  uint64_t planned, opened, failures;
} leg;

static void take_intervals(void *context) {
  (void)context;
  for (const struct interval *interval; (interval = interval_take(engine_intervals(leg.engine)));) {
    leg.now.transfers += interval->counters[COUNT_TRANSFERS];
    leg.failures += interval->counters[COUNT_LOST] + interval->counters[COUNT_FAILED];
    leg.opened += interval->counters[COUNT_OPENED];
    bool all_answered = leg.opened >= ACTIVE && interval->gauges[GAUGE_NEVER_ANSWERED] == 0;
    bool is_over = leg.now.transfers == leg.planned;
    interval_release(engine_intervals(leg.engine));
    leg.now.allocations = allocations;
    leg.now.large_allocations = large_allocations;
    bool is_warm = leg.now.transfers >= WARM_TRANSFERS && all_answered;
    if (leg.first.transfers == 0 && is_warm && !is_over) leg.first = leg.now;
    if (leg.first.transfers == 0) continue;
    if (!is_over) leg.last = leg.now;
  }
}

/* Runs a leg of ACTIVE connections to the peer at ENDPOINT. Returns what was counted. */
static struct reading run(const struct endpoint *endpoint, uint32_t slots, void (*change)(struct engine_settings *)) {
  static const uint8_t payload[100] = "a payload of a hundred bytes";
  const struct schedule_point points[] = {{0, ACTIVE, false}};
  struct engine_settings settings = loopback_settings(endpoint, slots);
  settings.protocol = &protocol_echo;
  settings.payload = payload;
  settings.payload_bytes = sizeof payload;
  settings.workload = &workload_continuous;
  settings.schedule = (struct schedule){points, 1};
  settings.steady_to_ns = 60 * NS_PER_SECOND;
  settings.interval_ns = 2000000;
  settings.backoff = (struct backoff){1000000, 10000000, 2.0};
  settings.transfers = TRANSFERS;
  settings.timestamps_one_in = TIMESTAMPS_SAMPLE;
  settings.on_interval = take_intervals;
  change(&settings);
  memset(&leg, 0, sizeof leg);
  leg.planned = settings.transfers;
  CHECK_EQUAL(transfer_log_open("/dev/null", NULL, 0, &settings.log), 0);
  CHECK_EQUAL(engine_create(&settings, &leg.engine), 0);
  CHECK_EQUAL(engine_run(leg.engine, clock_monotonic_ns(NULL)), 0);
  engine_destroy(leg.engine);
  struct transfer_log_result result;
  transfer_log_close(settings.log, &result);
  CHECK_EQUAL(leg.now.transfers, leg.planned);
  CHECK_EQUAL(leg.failures, 0);
  CHECK(leg.first.allocations > 0);
  struct reading counted = {leg.last.transfers - leg.first.transfers, leg.last.allocations - leg.first.allocations,
                            leg.last.large_allocations - leg.first.large_allocations};
  printf("# %s: %" PRIu64 " allocations, %" PRIu64 " of them large, in %" PRIu64 " transfers\n", table->name,
         counted.allocations, counted.large_allocations, counted.transfers);
  CHECK(counted.transfers >= 500);
  return counted;
}

/* ---- plain ---- */

static void change_nothing(struct engine_settings *settings) { (void)settings; }
static void use_pipeline(struct engine_settings *settings) { settings->pipeline = 8; }
static void use_reconnect(struct engine_settings *settings) {
  settings->workload = &workload_reconnect;
  settings->transfers = TRANSFERS_OF_RECONNECT;
}

static void plain_leg(void (*change)(struct engine_settings *)) {
  struct endpoint endpoint;
  struct peers peers = {.listener = loopback_listen(0, 128, &endpoint), .hear = peers_echo};
  peers_start(&peers);
  CHECK_EQUAL(run(&endpoint, ACTIVE, change).allocations, 0);
  peers_stop(&peers);
}

TEST(plain) { plain_leg(change_nothing); }
TEST(pipelined) { plain_leg(use_pipeline); }
TEST(connection_by_connection) { plain_leg(use_reconnect); }

/* ---- over TLS ---- */

#ifdef HAVE_OPENSSL

static const struct tls_settings tls_settings = {.verify = false};

static void use_tls(struct engine_settings *settings) { settings->tls = &tls_settings; }

struct tls_echo {
  SSL_CTX *context;
  int listener;
  pthread_t threads[ACTIVE];
};

/* Echoes on one connection until it ends. */
static void *echo(void *argument) {
  const struct tls_echo *self = argument;
  uint8_t bytes[4096];
  int fd = accept(self->listener, NULL, NULL), length;
  SSL *ssl = SSL_new(self->context);
  SSL_set_fd(ssl, fd);
  if (SSL_accept(ssl) == 1) {
    while ((length = SSL_read(ssl, bytes, sizeof bytes)) > 0 && SSL_write(ssl, bytes, length) == length) continue;
  }
  SSL_free(ssl);
  close(fd);
  return NULL;
}

static struct reading tls_leg(int version, uint32_t slots) {
  struct endpoint endpoint;
  struct identity identity;
  identity_make(&identity, "here.invalid", false, 3600, NULL);
  struct tls_echo self = {.context = tls_peer_context(&identity, version, NULL),
                          .listener = loopback_listen(0, 128, &endpoint)};
  for (uint32_t i = 0; i < ACTIVE; i++) pthread_create(&self.threads[i], NULL, echo, &self);
  struct reading counted = run(&endpoint, slots, use_tls);
  for (uint32_t i = 0; i < ACTIVE; i++) pthread_join(self.threads[i], NULL);
  close(self.listener);
  SSL_CTX_free(self.context);
  identity_free(&identity);
  return counted;
}

/* Buffers of ciphertext that were unused for a second are freed: few are allocated again. */
static void check_few(struct reading counted) { CHECK(100 * counted.large_allocations <= counted.transfers); }

TEST(over_tls_1_2) { check_few(tls_leg(TLS1_2_VERSION, 1999)); }
TEST(over_tls_1_3) { check_few(tls_leg(TLS1_3_VERSION, 1999)); }

TEST(over_tls_with_many_slots) {
  struct reading counted = tls_leg(TLS1_3_VERSION, 2000);
  CHECK(counted.large_allocations >= counted.transfers); /* memory matters more; and it shows that these are counted */
}

#endif
