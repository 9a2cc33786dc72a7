// Estimates of what one connection occupies, for plan and console.

/**
 * Bytes that OpenSSL takes of a connection. Where a worker has fewer than 2,000 connections, 51 KiB of heap stay of
 * each (the buffers of records are kept). Where it has more, 1,000 handshakes at once take 24 KiB each, of which 17 KiB
 * stay; the rest is used by the next handshake.
 */
export const TLS_CONNECTION_BYTES = 51 * 1024;
