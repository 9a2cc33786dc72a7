// Estimates of the memory of a connection, for plan and console.

/**
 * Bytes that OpenSSL takes for a connection. If a worker has fewer than 2,000 connections, each keeps 51 KiB of heap
 * (the buffers of records are kept). If it has more, 1,000 handshakes at once take 24 KiB each and keep 17 KiB; the
 * next handshake uses the rest.
 */
export const TLS_CONNECTION_BYTES = 51 * 1024;
