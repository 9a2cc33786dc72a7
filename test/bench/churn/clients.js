// The clients of the bench churn, and which of them this machine has. A missing one is reported and left out.

import { accessSync, constants } from 'node:fs';
import { EnvironmentError } from '../../../client/errors.js';
import { findProgram } from '../../../servers/launcher/process/find-program.js';

export const CLIENTS = /** @type {const} */ (['engine', 'engine-first', 'engine-reset', 'ab', 'wrk', 'tcp_crr']);
export const OTHERS = CLIENTS.filter((client) => client !== 'engine');

/** Names the program: neper is in no distribution. */
export const CRR_VARIABLE = 'BROADSIDE_NEPER_TCP_CRR';

/** @typedef {(typeof CLIENTS)[number]} Client */

/**
 * @param {readonly Client[]} wanted
 * @param {NodeJS.ProcessEnv} [env]
 * @param {(program: string) => string | null} [find] on the PATH
 * @returns {{clients: Client[], notes: string[]}} notes: one sentence for each that is left out
 * @throws {EnvironmentError} when the variable names no program
 */
export function clientsHere(wanted, env = process.env, find = findProgram) {
  const crr = env[CRR_VARIABLE];
  if (crr && wanted.includes('tcp_crr')) checkProgram(crr);
  /** @type {Partial<Record<Client, string | false>>} */
  const missing = {
    ab: !find('ab') && 'ab is left out: it is not installed (apt-get install apache2-utils).',
    wrk: !find('wrk') && 'wrk is left out: it is not installed (apt-get install wrk).',
    tcp_crr: !crr && `tcp_crr of neper is left out: ${CRR_VARIABLE} does not say where it is.`,
  };
  return {
    clients: wanted.filter((client) => !missing[client]),
    notes: wanted.flatMap((client) => missing[client] || []),
  };
}

/** @param {string} path */
function checkProgram(path) {
  try {
    accessSync(path, constants.X_OK);
  } catch (cause) {
    throw new EnvironmentError(`${CRR_VARIABLE}=${path}: not a program that can be run`, { code: 'ENOPROGRAM', cause });
  }
}
