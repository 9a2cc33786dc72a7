#!/bin/sh
# Which OpenSSL the addon is built with: "node" (the one inside node), "system" (libssl-dev, where node itself uses the
# system's) or "none". An addon must use the one that its process has already: with two of them, functions of one would
# be handed structures of the other. $1: whether node was built to share the system's; $2: the folder of node's headers.
cc=${CC:-cc}
if [ "$1" = true ]; then
  $cc openssl_probe.c -lssl -lcrypto -o /dev/null 2>/dev/null && echo system || echo none
else
  $cc openssl_probe.c -I "$2" -c -o /dev/null 2>/dev/null && [ -e "$2/openssl/ssl.h" ] && echo node || echo none
fi
