/*
 * test_server_protocols.c: the protocols of the C servers by their golden vectors, cut at every byte (long ones not at
 * all of them); and as much at once as a model may read. Its argument is a file of vectors, a line each: protocol,
 * name, what is sent (hexadecimal), whether the server closes (0, 1), and what is received (hexadecimal; http: "200
 * keep-alive,400 close").
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "server_session.h"

/* A longer stream is cut only at multiples of this many bytes. */
#define LONG 2000
#define LONG_STEP 61

struct vector {
  char protocol[16], name[128], *receive;
  unsigned char *sent;
  size_t length;
  bool closes;
};

static struct vector *vectors;
static size_t vector_count;

static unsigned char *from_hex(const char *hex, size_t *length) {
  *length = strlen(hex) / 2;
  unsigned char *bytes = malloc(*length + 1);
  for (size_t i = 0; i < *length; i++) {
    const char pair[] = {hex[2 * i], hex[2 * i + 1], 0};
    bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
  }
  return bytes;
}

/* As the vectors write it. */
static char *written(const struct protocol *protocol, const struct talked *talked) {
  char *text = calloc(1, 2 * talked->count + 1), *end = text;
  if (protocol != &protocol_http) {
    for (size_t i = 0; i < talked->count; i++) end += sprintf(end, "%02x", talked->bytes[i]);
    return text;
  }
  const char *all = (const char *)talked->bytes, *stop = all + talked->count;
  for (const char *at = all; at && at < stop; at = memmem(at + 1, (size_t)(stop - at - 1), "HTTP/1.1 ", 9)) {
    const char *connection = memmem(at, (size_t)(stop - at), "\r\nConnection: ", 14);
    if (!connection) break;
    end += sprintf(end, "%s%.3s %.*s", end == text ? "" : ",", at + 9, (int)strcspn(connection + 14, "\r"),
                   connection + 14);
  }
  return text;
}

static void interval(const struct protocol *protocol, const struct vector *vector, const size_t *sizes, size_t count) {
  struct talked talked = talk_through(protocol, vector->sent, vector->length, sizes, count);
  const char *wrong = talked_wrong(protocol, vector->sent, vector->length, &talked);
  char *text = written(protocol, &talked);
  if (wrong || strcmp(text, vector->receive) != 0 || talked.close != vector->closes) {
    check_failures++;
    printf("# %s: %s, first read of %zu: %s, expected %s; closes: %d; %s\n", protocol->name, vector->name, sizes[0],
           text, vector->receive, talked.close, wrong ? wrong : "else right");
  }
  free(text);
  talked_free(&talked);
}

static void cut_everywhere(const struct protocol *protocol, const struct vector *vector) {
  const size_t whole = SIZE_MAX, exemplar = 1, odd[] = {3, 7, 2};
  interval(protocol, vector, &whole, 1);
  interval(protocol, vector, &exemplar, 1);
  interval(protocol, vector, odd, 3);
  for (size_t at = 1; at<vector->length; at += vector->length> LONG ? LONG_STEP : 1) {
    const size_t sizes[] = {at, vector->length};
    interval(protocol, vector, sizes, 2);
  }
}

static void speaks(const struct protocol *protocol) {
  size_t count = 0;
  for (size_t i = 0; i < vector_count; i++) {
    if (strcmp(vectors[i].protocol, protocol->name) != 0) continue;
    cut_everywhere(protocol, &vectors[i]);
    count++;
  }
  CHECK(count >= 5);
}

TEST(echo) { speaks(&protocol_echo); }
TEST(volley) { speaks(&protocol_volley); }
TEST(ace) { speaks(&protocol_ace); }
TEST(http) { speaks(&protocol_http); }

static void stop_cut_everywhere(const char *name, const char *sent, char *receive, bool stops) {
  struct vector vector = {.receive = receive, .closes = stops};
  snprintf(vector.name, sizeof vector.name, "%s", name);
  vector.sent = from_hex(sent, &vector.length);
  cut_everywhere(&protocol_volley_stop, &vector);
  free(vector.sent);
}

TEST(volley_that_stops) {
  stop_cut_everywhere("words without a zero", "00000001ffffffff00010000", (char[]){"000000020000000000010001"}, false);
  stop_cut_everywhere("a zero at once", "00000000", (char[]){""}, true);
  stop_cut_everywhere("owed replies first", "000000070000000900000000", (char[]){"000000080000000a"}, true);
  stop_cut_everywhere("nothing after it", "00000001000000000000000500000000", (char[]){"00000002"}, true);
  stop_cut_everywhere("zeros that are no word", "0100000000000001", (char[]){"0100000100000002"}, false);
}

/* Reads of all that the protocol takes, the first of them shorter by `shorter` bytes. */
static void fill(const struct protocol *protocol, const char *pattern, size_t count, size_t shorter, size_t most) {
  const size_t length = 3 * protocol->read_bytes - shorter;
  const size_t sizes[] = {protocol->read_bytes - shorter, protocol->read_bytes, protocol->read_bytes};
  unsigned char *stream = malloc(length);
  for (size_t i = 0; i < length; i++) stream[i] = (unsigned char)pattern[i % count];
  struct talked talked = talk_through(protocol, stream, length, sizes, 3);
  const char *wrong = talked_wrong(protocol, stream, length, &talked);
  if (wrong) {
    check_failures++;
    printf("# %s, full reads, the first %zu bytes shorter: %s\n", protocol->name, shorter, wrong);
  }
  CHECK_EQUAL(talked.reads, 3);
  CHECK(talked.count <= 3 * most);
  talked_free(&talked);
  free(stream);
}

TEST(full_reads) {
  static const char get[] = "GET / HTTP/1.1\nHost:\n\n"; /* the shortest head that keeps the connection */
  static const char header[] = {1, 0, 0, 0, -1, -1, -1, -1};
  char messages[SERVER_BUFFER_BYTES] = {0};
  memcpy(messages, header, sizeof header);
  for (size_t shorter = 0; shorter < sizeof get; shorter++) {
    fill(&protocol_echo, "echo.", 5, shorter, SERVER_BUFFER_BYTES);
    fill(&protocol_volley, "\x7f\xff\xff\xff", 4, shorter, SERVER_BUFFER_BYTES);
    fill(&protocol_volley_stop, "\x7f\xff\xff\xff", 4, shorter, SERVER_BUFFER_BYTES);
    fill(&protocol_http, get, sizeof get - 1, shorter, SERVER_BUFFER_BYTES);
    fill(&protocol_ace, messages, sizeof messages, shorter, SERVER_BUFFER_BYTES);
  }
}

TEST(are_found_by_name) {
  CHECK(protocol_find("echo") == &protocol_echo && protocol_find("volley") == &protocol_volley);
  CHECK(protocol_find("ace") == &protocol_ace && protocol_find("http") == &protocol_http);
  CHECK(!protocol_find("") && !protocol_find("ech") && !protocol_find("Echo") && !protocol_find("echo "));
  CHECK(protocol_with_stop(&protocol_volley) == &protocol_volley_stop);
  CHECK(!protocol_with_stop(&protocol_echo) && !protocol_with_stop(&protocol_ace) &&
        !protocol_with_stop(&protocol_http));
  CHECK(strcmp(protocol_names(), "echo, volley, ace, http") == 0);
}

static void read_vectors(const char *path) {
  FILE *file = fopen(path, "r");
  char *line = NULL;
  size_t room = 0;
  if (!file) return;
  for (ssize_t count; (count = getline(&line, &room, file)) > 0;) {
    struct vector vector = {.receive = NULL};
    line[strcspn(line, "\n")] = 0;
    char *rest = line, *fields[5];
    for (int i = 0; i < 5; i++) fields[i] = rest ? strsep(&rest, "\t") : "";
    snprintf(vector.protocol, sizeof vector.protocol, "%s", fields[0]);
    snprintf(vector.name, sizeof vector.name, "%s", fields[1]);
    vector.sent = from_hex(fields[2], &vector.length);
    vector.closes = strcmp(fields[3], "1") == 0;
    vector.receive = strdup(fields[4]);
    vectors = realloc(vectors, (vector_count + 1) * sizeof *vectors);
    vectors[vector_count++] = vector;
  }
  free(line);
  fclose(file);
}

int main(int count, char **words) {
  if (count == 2) read_vectors(words[1]);
  const int status = check_run("");
  for (size_t i = 0; i < vector_count; i++) {
    free(vectors[i].sent);
    free(vectors[i].receive);
  }
  free(vectors);
  return status;
}
