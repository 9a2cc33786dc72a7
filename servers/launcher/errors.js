// The one error of the launcher. `code` says which of the ways a server can fail it was; the message is for people and
// carries the last lines the server wrote.

/**
 * @typedef {'EUNAVAILABLE' | 'EUNKNOWN' | 'EBUILD' | 'EOPTION' | 'EDIED' | 'ENOTREADY' | 'EEXCHANGE' | 'EGUARD' |
 *   'ECPU' | 'EPORT' | 'ETMPDIR'} Code
 *
 * EUNAVAILABLE  it cannot be built or run on this machine      EBUILD     building it failed
 * EUNKNOWN      there is no server of that name                EOPTION    it does not take that option or protocol
 * EDIED         it ended before it was ready                   ENOTREADY  it was not ready in time
 * EEXCHANGE     it is there but did not answer as it should    EGUARD     the guard could not be started
 * ECPU          it cannot be bound to these CPUs            EPORT     the port asked for cannot be had
 * ETMPDIR       it has no room in the temporary folder
 */

/** @type {Partial<Record<Code, number>>} */
const EXIT_CODES = { EUNAVAILABLE: 3, EBUILD: 3, EGUARD: 3, ECPU: 3, ETMPDIR: 3, EUNKNOWN: 2, EOPTION: 2 };

export class ServerError extends Error {
  /**
   * @param {string} message
   * @param {{code: Code, cause?: unknown}} options
   */
  constructor(message, { code, cause }) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ServerError';
    this.code = code;
    this.exitCode = EXIT_CODES[code] ?? 1;
  }
}
