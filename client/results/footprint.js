// Estimates of what one connection occupies, for plan and console. Pure.

/**
 * Bytes that OpenSSL keeps of a connection: measured in a worker with 1,000 handshakes at once, 24 KiB over epoll, 46 KiB
 * over io_uring. Of these 17 KiB stay; the rest is used by the next handshake.
 */
export const TLS_CONNECTION_BYTES = 46 * 1024;
