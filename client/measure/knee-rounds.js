// The knee of a case: over the knees that its rounds show. Pure.
// Rounds that agree are the proof that it is there. Where they differ by more than one stage, or some
// have a knee and some do not, it is not determined; a round that could not determine its own says nothing either way.

/**
 * @import { Ramp } from '../words/knee.js'
 * @import { Knee, Undetermined } from './knee.js'
 */

/**
 * @typedef {object} CaseKnee  either requested, low and high; or above; or undetermined
 * @property {number} [requested]  the one in the middle
 * @property {number} [low]        the least, or after so many connections where a round knows it to within two stages
 * @property {number} [high]       the greatest
 * @property {number} [above]      there is none up to so many connections
 * @property {Undetermined} [undetermined]
 * @property {(number | 'none' | 'undetermined' | null)[]} values  of each round, in order; null: the leg is not
 *   complete
 */

/** @param {Ramp | null} ramp of a round; null: its leg is not complete @returns {CaseKnee['values'][number]} */
function valueOf(ramp) {
  if (ramp === null) return null;
  if (ramp.knee === undefined) return 'undetermined';
  return ramp.knee?.requested ?? 'none';
}

/**
 * @param {Ramp} ramp
 * @returns {number} the place of its knee: of the stage, or in runs that did not record it, of the step
 */
const placeOf = ({ knee, steps }) =>
  knee?.stage ?? [...new Set(steps.map(({ requested }) => requested))].indexOf(knee?.requested ?? NaN);

/** @param {Ramp[]} ramps @returns {number} connections up to which all of them went */
const reachOf = (ramps) => Math.min(...ramps.map(({ steps }) => steps[steps.length - 1].requested));

/**
 * @param {Ramp[]} ramps of the complete rounds
 * @returns {Ramp} the round that stands for the case: that with the knee in the middle, else any that tells why there
 *   is none
 */
function typicalOf(ramps) {
  const found = ramps.filter(({ knee }) => knee).sort((a, b) => (a.knee?.requested ?? 0) - (b.knee?.requested ?? 0));
  const none = ramps.find(({ knee }) => knee === null);
  return found[Math.floor((found.length - 1) / 2)] ?? none ?? ramps[0];
}

/**
 * @param {(Ramp | null)[]} rounds in order; null: the leg is not complete
 * @returns {CaseKnee | undefined} undefined where no round has a ramp
 */
export function kneeOfRounds(rounds) {
  const ramps = rounds.filter((ramp) => ramp !== null);
  if (ramps.length === 0) return undefined;
  const values = rounds.map(valueOf);
  const determined = ramps.filter(({ knee }) => knee !== undefined);
  if (2 * determined.length <= ramps.length) {
    const undetermined = ramps.find((ramp) => ramp.undetermined)?.undetermined;
    return { undetermined: undetermined ?? { code: 'scatter', data: {} }, values };
  }
  const knees = determined.flatMap(({ knee }) => knee ?? []);
  if (knees.length === 0) return { above: reachOf(determined), values };
  const places = determined.filter(({ knee }) => knee).map(placeOf);
  const low = Math.min(...knees.map(({ from, requested }) => from ?? requested));
  const high = Math.max(...knees.map(({ requested }) => requested));
  if (knees.length < determined.length || Math.max(...places) - Math.min(...places) > 1) {
    const data = { rounds: ramps.length, determined: determined.length, knees: knees.length, low, high };
    return { undetermined: { code: 'rounds-disagree', data }, values };
  }
  return { requested: typicalOf(determined).knee?.requested, low, high, values };
}
