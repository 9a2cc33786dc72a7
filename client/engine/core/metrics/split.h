/*
 * split: the response time of one transfer, by where it went. The parts add up to it.
 */
#ifndef BROADSIDE_SPLIT_H
#define BROADSIDE_SPLIT_H

#include <stdint.h>

struct split {
  uint64_t connection_wait_ns; /* open loop: the request was due, and all connections were busy */
  uint64_t send_delay_ns;      /* until it left for the network device */
  uint64_t network_and_server_ns;
  uint64_t receive_delay_ns; /* the whole reply waited to be read */
};

#endif
