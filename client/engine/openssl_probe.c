/*
 * openssl_probe.c: compiles and links only where OpenSSL has what transport/ uses (3.0 has it, 1.0 does not). Never
 * run; binding.gyp and the native tests decide by it whether TLS is built.
 */
#include <openssl/ssl.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error OpenSSL 3.0 or later is needed
#endif

int main(void) {
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  BIO_METHOD *method = BIO_meth_new(BIO_get_new_index(), "probe");
  size_t length = 0;
  return SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) + BIO_meth_set_ctrl(method, NULL) +
         SSL_read_ex(NULL, NULL, 0, &length);
}
