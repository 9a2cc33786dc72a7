// The launcher's error class. Programs use `code` and `data`; `message` is for people.

/**
 * @typedef {'EUNAVAILABLE' | 'EUNKNOWN' | 'EBUILD' | 'EOPTION' | 'EDIED' | 'ENOTREADY' | 'EEXCHANGE' | 'EGUARD' |
 *   'ECPU' | 'EPORT' | 'ETMPDIR'} Code
 *
 * EUNAVAILABLE  the server cannot be built or run on this machine   data: server, problem
 * EUNKNOWN      no server has this name                             data: server, known
 * EBUILD        the build failed                                    data: server, command, reason, lines
 * EOPTION       the server does not support an option or protocol   data: server, reason, and the requested one
 * EDIED         the server ended before it was ready                data: server, exitCode, signal, leftBehind, stderr
 * ENOTREADY     the server was not ready in time                    data: server, reason, stderr
 * EEXCHANGE     the server did not answer an exchange correctly     data: reason, endpoint; see verify.js
 * EGUARD        the guard could not be started                      data: errno
 * ECPU          the server cannot be bound to these CPUs            data: cpus, available
 * EPORT         the requested port is not free                      data: server, endpoint
 * ETMPDIR       the temporary folder cannot be written to           data: server, folder, errno
 *
 * @typedef {{code: string, data: Record<string, unknown>, text: string}} Problem `code` and `data` are for programs,
 *   `text` is for people
 */

/** @type {Partial<Record<Code, number>>} */
const EXIT_CODES = { EUNAVAILABLE: 3, EBUILD: 3, EGUARD: 3, ECPU: 3, ETMPDIR: 3, EUNKNOWN: 2, EOPTION: 2 };

export class ServerError extends Error {
  /**
   * @param {string} message
   * @param {{code: Code, data?: Record<string, any>, cause?: unknown}} options
   */
  constructor(message, { code, data = {}, cause }) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ServerError';
    this.code = code;
    this.data = data;
    this.exitCode = EXIT_CODES[code] ?? 1;
  }
}
