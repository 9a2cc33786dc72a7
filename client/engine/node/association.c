/*
 * node/association.c: addresses as texts.
 */
#include "callbacks.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>

#include "../core/transport/sctp_association.h"
#include "endpoints.h"
#include "reader.h"
#include "values.h"

static napi_value text_of(struct writer *writer, const struct sockaddr_storage *address) {
  const struct sockaddr_in *ipv4 = (const void *)address;
  const struct sockaddr_in6 *ipv6 = (const void *)address;
  bool is_ipv6 = address->ss_family == AF_INET6;
  char host[INET6_ADDRSTRLEN] = "", text[INET6_ADDRSTRLEN + 16];
  inet_ntop(address->ss_family, is_ipv6 ? (const void *)&ipv6->sin6_addr : (const void *)&ipv4->sin_addr, host,
            sizeof host);
  snprintf(text, sizeof text, is_ipv6 ? "[%s]:%u" : "%s:%u", host, ntohs(ipv4->sin_port)); /* IPv6's is there, too */
  return new_string(writer, text);
}

static void set_addresses(struct writer *writer, napi_value object, const char *key,
                          const struct sctp_addresses *addresses) {
  napi_value array = new_array(writer);
  for (uint32_t i = 0; i < addresses->count; i++) {
    set_element(writer, array, i, text_of(writer, &addresses->list[i]));
  }
  set_value(writer, object, key, array);
}

napi_value association_inspect(napi_env env, napi_callback_info info) {
  napi_value argument;
  size_t count = 1, bytes;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  struct reader reader = {env, argument, count < 1};
  struct endpoint endpoint = {.socket.nodelay = true};
  const uint8_t *record = reader_bytes(&reader, "endpoint", &bytes);
  enum endpoint_transport transport = (enum endpoint_transport)reader_choice(&reader, "transport", endpoint_transports);
  uint64_t timeout_ns = reader_ns(&reader, "timeoutNs");
  if (reader.failed) return NULL;
  if (bytes != ENDPOINT_BYTES || endpoint_read(record, &endpoint) != 0 ||
      (transport != ENDPOINT_SCTP && transport != ENDPOINT_SCTP_SEQPACKET) ||
      endpoint_set_transport(&endpoint, transport) != 0) {
    reader_fail_type(&reader, "endpoint", "a record of endpoints.js, for a transport of SCTP");
    return NULL;
  }
  struct sctp_association association;
  int error = sctp_association_inspect(&endpoint, timeout_ns, &association);
  if (error) {
    throw_errno(env, "no SCTP association", error);
    return NULL;
  }
  struct writer writer = {env, false};
  napi_value object = new_object(&writer);
  set_addresses(&writer, object, "local", &association.local);
  set_addresses(&writer, object, "peer", &association.peer);
  return object;
}
