/*
 * protocols.c: the protocols by name. Set-up lists those that the files beside this one define.
 */
#include <string.h>

#include "protocol.h"

#define POINTER(NAME) &NAME,

static const struct protocol *const protocols[] = {PROTOCOLS(POINTER)};

const struct protocol *protocol_find(const char *name) {
  for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
    if (strcmp(protocols[i]->name, name) == 0) return protocols[i];
  }
  return NULL;
}

bool protocol_set_parameter(const struct protocol *protocol, struct protocol_parameters *parameters, const char *name,
                            uint64_t value) {
  for (size_t i = 0; i < protocol->parameter_count; i++) {
    const struct protocol_parameter *parameter = &protocol->parameters[i];
    bool flag = value == 1;
    if (strcmp(parameter->name, name) != 0) continue;
    if (parameter->type == PARAMETER_FLAG && value > 1) return false;
    if (parameter->type == PARAMETER_FLAG) {
      memcpy(parameters->bytes + parameter->offset, &flag, sizeof flag);
    } else {
      memcpy(parameters->bytes + parameter->offset, &value, sizeof value);
    }
    return true;
  }
  return false;
}

bool protocol_validate(const struct protocol *protocol, const struct protocol_settings *settings) {
  if (settings->payload_spread > 0 && !protocol->varies_payload) return false;
  if (settings->payload_spread > settings->payload_bytes) return false;
  return protocol->validate ? protocol->validate(settings) : settings->payload_bytes > settings->payload_spread;
}

bool protocol_has_hello(const struct protocol *protocol, const struct protocol_settings *settings) {
  return protocol->hello && (!protocol->wants_hello || protocol->wants_hello(settings));
}

size_t protocol_room_bytes(const struct protocol *protocol, const struct protocol_settings *settings) {
  return protocol->room_bytes ? protocol->room_bytes(settings) : 0;
}

uint32_t protocol_listed_requests(const struct protocol *protocol, const struct protocol_settings *settings) {
  uint32_t count = protocol->request_count ? protocol->request_count(settings) : 0;
  return count > 1 ? count : 0;
}
