{
  'variables': {
    'liburing%': '<!(${CC:-cc} liburing_probe.c -luring -o /dev/null 2>/dev/null && echo yes || echo no)',
    # node carries OpenSSL and lends it to its addons, headers and all, unless it was built to share the system's
    'openssl%': '<!(sh openssl_probe.sh "<(node_shared_openssl)" "<(node_root_dir)/include/node")',
  },
  'targets': [
    {
      'target_name': 'engine',
      'sources': ['<!@(ls core/*.c core/*/*.c node/*.c | grep -v core/transport/tls)'],
      'defines': ['_GNU_SOURCE', 'NAPI_VERSION=8'],
      'cflags': ['-std=c11', '-fvisibility=hidden', '-Wall', '-Wextra', '-Wshadow', '-Wconversion', '-Wmissing-prototypes'],
      'libraries': ['-lpthread', '-lm'],
      'conditions': [
        ['liburing=="yes"', {
          'defines': ['HAVE_LIBURING'],
          'libraries': ['-luring'],
        }],
        ['openssl!="none"', {
          'sources': ['<!@(ls core/transport/tls*.c)'],
          'defines': ['HAVE_OPENSSL'],
        }],
        ['openssl=="system"', {
          'libraries': ['-lssl', '-lcrypto'],
        }],
      ],
    },
  ],
}
