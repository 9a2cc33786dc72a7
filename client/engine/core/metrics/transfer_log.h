/*
 * transfer_log: a row for every transfer, written by a thread of its own as an uncompressed Arrow IPC stream.
 *
 *   engine thread                     writer thread
 *   append -> batch (columns) --full--> queue of full batches -> writev -> file
 *                 ^------------------- queue of empty ones <---'
 *
 * The engine never waits: while no batch is empty, rows are dropped ("behind"). After an error all further rows are.
 * A truncated file keeps every whole batch. What kernel timestamps say of some of the transfers goes to a second
 * stream, whose rows name those of the first. append, split, flush: the engine's thread; open, close: any one thread
 * while the engine does not run. The files are open in the table of descriptors of the thread that calls open.
 */
#ifndef BROADSIDE_TRANSFER_LOG_H
#define BROADSIDE_TRANSFER_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "split.h"

#define TRANSFER_LOG_ROWS 4096u  /* of a batch */
#define TRANSFER_LOG_BATCHES 64u /* at most; no more are used than the writer was ever behind */
#define TRANSFER_LOG_BEHIND 1    /* in place of an errno: rows were dropped, because the writer could not keep up */

struct transfer_log;

/* What a row says of a transfer besides its times, connection and status. */
struct transfer_labels {
  uint16_t code;    /* the three digits of the reply; 0: it has none, or there was no reply */
  uint16_t request; /* its number in the list, from 0; 0 also without a list */
};

struct transfer_log_result {
  uint64_t rows, bytes; /* of whole batches in the first file */
  int error;            /* 0, TRANSFER_LOG_BEHIND, or the -errno that ended it */
};

/* Creates PATH, and SPLITS_PATH unless it is NULL, and starts the writer, which gives the log up (ENOSPC) before the
 * file system has less than RESERVE_BYTES left. Where they cannot be created or the file system has less already, the
 * log is given up from the start, and neither file is left. Returns 0, or -errno without memory or a thread. */
int transfer_log_open(const char *path, const char *splits_path, uint64_t reserve_bytes, struct transfer_log **log);

/* Adds a row; false when it is dropped. start_ns relative to the run's zero, may be negative. */
bool transfer_log_append(struct transfer_log *log, int64_t start_ns, int64_t response_ns, uint32_t connection,
                         uint8_t status, struct transfer_labels labels);

/* The parts of the transfer whose row is appended next. Does nothing without a second stream. */
void transfer_log_split(struct transfer_log *log, const struct split *split);

/* Hands the rows so far to the writer. */
void transfer_log_flush(struct transfer_log *log);

/* 0 while rows are taken; else why they no longer are. */
int transfer_log_error(struct transfer_log *log);

/* The writer thread's id, for its CPU accounts. */
pid_t transfer_log_thread(struct transfer_log *log);

/* Writes what was handed over and the end of the stream, ends the writer, frees the log. */
void transfer_log_close(struct transfer_log *log, struct transfer_log_result *result);

#endif
