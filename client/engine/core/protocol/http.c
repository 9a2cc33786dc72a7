/*
 * http.c: HTTP/1.1 (RFC 9112). `bytes` begins with a struct http_request for each request of a list, of which one is
 * drawn by its weight; their pieces and texts follow. A request of a single text is sent from there. One with
 * placeholders is written into the connection's room, from which every part of it could be derived again: its numbers
 * depend on nothing but the inputs of the request. Replies: http_reply.c.
 */
#include "http.h"

#include <string.h>

#include "codec.h"

static const struct protocol_parameter parameters[] = {
    {"requests", PARAMETER_NUMBER, offsetof(struct http_parameters, requests)},
    {"keepsAlive", PARAMETER_FLAG, offsetof(struct http_parameters, keeps_alive)},
};

#define COPIED_MOST 512u /* a longer text behind the last placeholder is sent from where it is */
#define NUMBER_DIGITS 20u
#define UUID_BYTES 36u

static struct http_piece piece_at(const struct protocol_settings *settings, uint64_t at) {
  struct http_piece piece;
  memcpy(&piece, settings->bytes + at, sizeof piece);
  return piece;
}

/* Draws a request by the weights: the first whose sum is above what was drawn. */
static uint16_t draw_request(const struct protocol_settings *settings, uint64_t random) {
  uint64_t first = 0, last = http_parameters_of(settings)->requests - 1;
  if (last == 0) return 0;
  uint64_t drawn = splitmix64_scaled(random, http_request_at(settings, last).weights);
  while (first < last) {
    uint64_t middle = (first + last) / 2;
    if (http_request_at(settings, middle).weights > drawn) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return (uint16_t)first;
}

static unsigned count_digits(uint64_t number) {
  unsigned digits = 1;
  for (; number >= 10; number /= 10) digits++;
  return digits;
}

static uint8_t *write_number(uint8_t *to, uint64_t number) {
  unsigned digits = count_digits(number);
  for (unsigned i = digits; i-- > 0; number /= 10) to[i] = (uint8_t)('0' + number % 10);
  return to + digits;
}

static uint8_t *write_uuid(uint8_t *to, uint64_t *identity) {
  uint64_t high = splitmix64_next(identity), low = splitmix64_next(identity);
  high = (high & ~UINT64_C(0xf000)) | UINT64_C(0x4000);   /* the version */
  low = (low & ~(UINT64_C(3) << 62)) | UINT64_C(2) << 62; /* the variant */
  for (unsigned i = 0; i < 32; i++) {
    uint64_t half = i < 16 ? high : low;
    if (i == 8 || i == 12 || i == 16 || i == 20) *to++ = '-';
    *to++ = (uint8_t) "0123456789abcdef"[half >> (60 - 4 * (i % 16)) & 15];
  }
  return to;
}

/* The number of a piece that is one; draws it from RANDOM. */
static uint64_t number_of(const struct http_piece *piece, uint64_t *random, uint64_t sequence) {
  return piece->type == PIECE_SEQUENCE ? sequence : piece->least + splitmix64_below(random, piece->spread + 1);
}

/* How many bytes the varying pieces from AT up to END take. RANDOM: what they will be drawn from. */
static uint64_t varying_bytes(const struct protocol_settings *settings, uint64_t at, uint64_t end, uint64_t random,
                              uint64_t sequence) {
  uint64_t bytes = 0;
  for (; at < end; at += sizeof(struct http_piece)) {
    struct http_piece piece = piece_at(settings, at);
    if (piece.type == PIECE_UUID) {
      bytes += UUID_BYTES;
    } else if (piece.type != PIECE_TEXT) {
      bytes += count_digits(number_of(&piece, &random, sequence));
    }
  }
  return bytes;
}

/* Whether the text PIECE is sent in place, without a copy. IS_LAST: it ends the pieces of the request. */
static bool stays_in_place(const struct http_piece *piece, bool is_last) {
  return is_last && piece->type == PIECE_TEXT && piece->bytes > COPIED_MOST;
}

/* Writes the pieces of REQUEST, whose numbers are drawn from RANDOM, into the room. Returns the number of PARTS. */
static unsigned write_pieces(const struct protocol_settings *settings, const struct http_request *request,
                             const struct request_inputs *inputs, uint64_t random, uint64_t payload_bytes,
                             struct iovec parts[2]) {
  uint64_t identity = inputs->identity;
  uint64_t end = request->pieces_at + request->pieces * sizeof(struct http_piece);
  uint8_t *to = inputs->room;
  for (uint64_t at = request->pieces_at; at < end;) {
    struct http_piece piece = piece_at(settings, at);
    at += sizeof piece;
    switch (piece.type) {
    case PIECE_TEXT:
      if (stays_in_place(&piece, at == end)) {
        parts[0] = iovec_part(inputs->room, (uint64_t)(to - inputs->room));
        parts[1] = iovec_part(settings->bytes + piece.at, piece.bytes);
        return 2;
      }
      memcpy(to, settings->bytes + piece.at, piece.bytes);
      to += piece.bytes;
      break;
    case PIECE_UUID: to = write_uuid(to, &identity); break;
    case PIECE_LENGTH:
      to = write_number(to, piece.fixed + payload_bytes + varying_bytes(settings, at, end, random, inputs->number));
      break;
    default: to = write_number(to, number_of(&piece, &random, inputs->number));
    }
  }
  parts[0] = iovec_part(inputs->room, (uint64_t)(to - inputs->room));
  return 1;
}

static unsigned request(void *state, const struct protocol_settings *settings, const struct request_inputs *inputs,
                        struct iovec parts[3]) {
  struct http *http = state;
  *http = (struct http){.request = draw_request(settings, inputs->random)};
  const struct http_request drawn = http_request_at(settings, http->request);
  struct payload_run run = {0, drawn.sends_payload ? settings->payload_bytes : 0};
  uint64_t random = inputs->random;
  if (drawn.sends_payload && settings->payload_spread > 0) {
    run = draw_payload_run(settings, splitmix64_next(&random));
  }
  unsigned used = 1;
  if (drawn.pieces > 1) {
    used = write_pieces(settings, &drawn, inputs, random, run.bytes, parts);
  } else {
    struct http_piece text = piece_at(settings, drawn.pieces_at);
    parts[0] = iovec_part(settings->bytes + text.at, text.bytes);
  }
  if (run.bytes > 0) parts[used++] = iovec_part(settings->payload + run.offset, run.bytes);
  return used;
}

/* The bytes that a piece takes at most. */
static size_t most_bytes(const struct http_piece *piece) {
  return piece->type == PIECE_TEXT ? (size_t)piece->bytes : piece->type == PIECE_UUID ? UUID_BYTES : NUMBER_DIGITS;
}

static size_t room_bytes(const struct protocol_settings *settings) {
  size_t most = 0;
  for (uint64_t i = 0; i < http_parameters_of(settings)->requests; i++) {
    const struct http_request listed = http_request_at(settings, i);
    size_t bytes = 0;
    for (uint64_t k = 0; listed.pieces > 1 && k < listed.pieces; k++) {
      struct http_piece piece = piece_at(settings, listed.pieces_at + k * sizeof piece);
      if (!stays_in_place(&piece, k + 1 == listed.pieces)) bytes += most_bytes(&piece);
    }
    if (bytes > most) most = bytes;
  }
  return most;
}

static uint32_t request_count(const struct protocol_settings *settings) {
  return (uint32_t)http_parameters_of(settings)->requests;
}

static uint32_t request_index(const void *state) { return ((const struct http *)state)->request; }

static bool is_valid_piece(const struct protocol_settings *settings, const struct http_piece *piece) {
  if (piece->type == PIECE_TEXT) return settings_contain(settings, piece->at, piece->bytes);
  return piece->type < PIECE_TYPES && (piece->type != PIECE_RANDOM || piece->spread < UINT64_MAX - piece->least);
}

static bool is_valid_expectation(const struct protocol_settings *settings, const struct http_request *listed) {
  if (listed->statuses_at > 0 && !settings_contain(settings, listed->statuses_at, HTTP_STATUS_BYTES)) return false;
  if (listed->find_bytes > UINT8_MAX || !settings_contain(settings, listed->find_at, 2 * listed->find_bytes))
    return false;
  const uint8_t *fallback = settings->bytes + listed->find_at + listed->find_bytes;
  for (uint64_t i = 0; i < listed->find_bytes; i++) {
    if (fallback[i] > i) return false;
  }
  return true;
}

static bool is_valid_request(const struct protocol_settings *settings, const struct http_request *listed) {
  bool varies = listed->sends_payload && settings->payload_spread > 0;
  if (listed->pieces == 0 || listed->pieces > settings->bytes_count / sizeof(struct http_piece)) return false;
  if (!settings_contain(settings, listed->pieces_at, listed->pieces * sizeof(struct http_piece))) return false;
  if (!is_valid_expectation(settings, listed)) return false;
  for (uint64_t k = 0; k < listed->pieces; k++) {
    struct http_piece piece = piece_at(settings, listed->pieces_at + k * sizeof piece);
    if (!is_valid_piece(settings, &piece)) return false;
    if (listed->pieces == 1 && (piece.type != PIECE_TEXT || piece.bytes == 0 || varies)) return false;
  }
  return true;
}

static bool validate(const struct protocol_settings *settings) {
  uint64_t requests = http_parameters_of(settings)->requests, weights = 0;
  if (requests == 0 || requests > UINT16_MAX ||
      !settings_contain(settings, 0, requests * sizeof(struct http_request))) {
    return false;
  }
  for (uint64_t i = 0; i < requests; i++) {
    const struct http_request listed = http_request_at(settings, i);
    if (listed.weights <= weights || !is_valid_request(settings, &listed)) return false;
    weights = listed.weights;
  }
  return true;
}

/* An error without a request: 408 of most servers, once the connection was idle for too long. */
static const char *const goodbyes[] = {"HTTP/1.1 4", "HTTP/1.1 5", "HTTP/1.0 4", "HTTP/1.0 5", NULL};

const struct protocol protocol_http = {
    .name = "http",
    .pipelined = true,
    .varies_payload = true,
    .validate = validate,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .room_bytes = room_bytes,
    .request_count = request_count,
    .request_index = request_index,
    .request = request,
    .reply = http_reply,
    .end = http_end,
    .status_code = http_status_code,
    .body_from = http_body_from,
    .redirect_target = http_redirect_target,
    .replies_early = true,
    .goodbyes = goodbyes,
};
