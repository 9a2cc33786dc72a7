/*
 * node/listeners.c: one object for each socket.
 */
#include "callbacks.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "../core/base/listening_sockets.h"
#include "values.h"

struct list {
  struct writer writer;
  napi_value array;
  uint32_t count;
};

static void add(void *context, const struct listening_socket *socket) {
  struct list *list = context;
  struct writer *writer = &list->writer;
  char address[INET6_ADDRSTRLEN] = "";
  inet_ntop(socket->family, socket->address, address, sizeof address);
  napi_value object = new_object(writer);
  set_string(writer, object, "address", address);
  set_number(writer, object, "port", socket->port);
  set_number(writer, object, "inode", socket->inode);
  set_number(writer, object, "queue", socket->queue);
  set_number(writer, object, "backlog", socket->backlog);
  set_number(writer, object, "drops", socket->drops);
  set_element(writer, list->array, list->count++, object);
}

napi_value listeners(napi_env env, napi_callback_info info) {
  (void)info;
  struct list list = {.writer = {env, false}};
  list.array = new_array(&list.writer);
  int error = listening_sockets_read(add, &list);
  if (error) {
    throw_errno(env, "the listening sockets", error);
    return NULL;
  }
  return list.array;
}
