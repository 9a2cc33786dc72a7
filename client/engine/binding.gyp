{
  'variables': {
    'liburing%': '<!(${CC:-cc} liburing_probe.c -luring -o /dev/null 2>/dev/null && echo yes || echo no)',
  },
  'targets': [
    {
      'target_name': 'engine',
      'sources': [
        'addon.c',
        'core/backoff.c',
        'core/cause.c',
        'core/cut.c',
        'core/drain.c',
        'core/engine.c',
        'core/histogram.c',
        'core/io/backends.c',
        'core/io/epoll.c',
        'core/io/socket.c',
        'core/protocol/echo.c',
        'core/protocol/protocols.c',
        'core/reservoir.c',
        'core/schedule.c',
        'core/slot.c',
        'core/timers.c',
        'core/transfer_log.c',
        'core/workload/continuous.c',
        'core/workload/hold.c',
        'core/workload/once.c',
        'core/workload/workloads.c',
      ],
      'defines': ['_GNU_SOURCE', 'NAPI_VERSION=8'],
      'cflags': ['-std=c11', '-O2', '-fvisibility=hidden', '-Wall', '-Wextra', '-Wshadow', '-Wconversion', '-Wmissing-prototypes'],
      'libraries': ['-lpthread'],
      'conditions': [
        ['liburing=="yes"', {
          'sources': ['core/io/io_uring.c'],
          'defines': ['HAVE_LIBURING'],
          'libraries': ['-luring'],
        }],
      ],
    },
  ],
}
