/* Compiles and links only where libuv has what models/libuv.c uses. Never run; the manifest of `libuv` names it. */
#include <stddef.h>
#include <uv.h>

int main(void) {
  uv_stream_t stream = {0};
  uv_os_fd_t descriptor = 0;
  return uv_fileno((const uv_handle_t *)&stream, &descriptor) + uv_try_write(&stream, NULL, 0);
}
