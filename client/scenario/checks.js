// What the schema cannot check: whether the values of a scenario's keys are possible and go together. Each key with
// such rules has a file in keys/; this is the list of their checks. Pure.

import { commandMistakes } from './keys/commands.js';
import { findMistakes } from './keys/find.js';
import { instanceMistakes } from './keys/instances.js';
import { lifetimeMistakes } from './keys/lifetime.js';
import { listenMistakes } from './keys/listen.js';
import { payloadMistakes } from './keys/payload.js';
import { pinMistakes } from './keys/pin.js';
import { profileMistakes } from './keys/profile.js';
import { protocolMistakes } from './keys/protocol.js';
import { rampMistakes } from './keys/ramp.js';
import { connectRateMistakes, rateMistakes } from './keys/rate.js';
import { serverMistakes } from './keys/servers.js';
import { socketMistakes } from './keys/socket.js';
import { sourceMistakes } from './keys/sources.js';
import { backoffMistakes, timeMistakes } from './keys/times.js';
import { timestampsMistakes } from './keys/timestamps.js';
import { tlsMistakes } from './keys/tls.js';
import { transportMistakes } from './keys/transport.js';
import { untilConfidentMistakes } from './keys/until-confident.js';
import { warmupMistakes } from './keys/warmup.js';
import { transfersMistakes, workloadMistakes } from './keys/workload.js';
import { wrapMistakes } from './keys/wrap.js';

/**
 * A check: takes the resolved scenario, the namer of places and what was written; returns what is wrong.
 * @typedef {(scenario: import('./scenario.js').Scenario, where: import('./mistakes.js').Where, raw: any) =>
 *   import('./mistakes.js').Mistake[]} Check
 */

/** @type {readonly Check[]} in the order in which their mistakes are reported */
const CHECKS = Object.freeze([
  timeMistakes,
  connectRateMistakes,
  workloadMistakes,
  rateMistakes,
  profileMistakes,
  untilConfidentMistakes,
  warmupMistakes,
  transfersMistakes,
  findMistakes,
  protocolMistakes,
  tlsMistakes,
  payloadMistakes,
  rampMistakes,
  backoffMistakes,
  serverMistakes,
  commandMistakes,
  instanceMistakes,
  wrapMistakes,
  listenMistakes,
  transportMistakes,
  timestampsMistakes,
  socketMistakes,
  lifetimeMistakes,
  pinMistakes,
  sourceMistakes,
]);

/**
 * @param {import('./scenario.js').Scenario} scenario completed
 * @param {import('./mistakes.js').Where} where
 * @param {unknown} [raw] as it was written
 * @param {readonly Check[]} [checks]
 * @returns {import('./mistakes.js').Mistake[]} every mistake
 */
export function checkScenario(scenario, where, raw, checks = CHECKS) {
  return checks.flatMap((check) => check(scenario, where, raw));
}
