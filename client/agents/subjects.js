// The subjects and the stream that controller and agents use on a NATS server. Pure. Requests that need an answer at
// once (who is there, what time is it) are plain NATS; everything that belongs to a run is in the run's stream.

const ROOT = 'broadside';

/** A name is one token of a subject. */
export const isName = (/** @type {string} */ text) => /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(text);

/**
 * @param {unknown} value
 * @returns {value is string} the id of a run or of a leg, as they are made (store/run-folder.js)
 */
export const isId = (value) => typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/.test(value);

export const subjects = Object.freeze({
  /** Every agent answers with who it is. */
  discover: `${ROOT}.discover`,
  /** Requests to one agent. @param {string} agent */
  agent: (agent) => `${ROOT}.agent.${agent}`,
  /** The controller of a run is alive. @param {string} run */
  beat: (run) => `${ROOT}.beat.${token(run)}`,
  /** What the controller sends to one agent. @param {string} run @param {string} agent */
  to: (run, agent) => `${ROOT}.run.${token(run)}.to.${agent}`,
  /** What an agent reports. @param {string} run @param {string} agent */
  from: (run, agent) => `${ROOT}.run.${token(run)}.from.${agent}`,
});

/** @param {string} subject of a report @returns {string} name of the agent that may write there */
export const senderOf = (subject) => subject.slice(subject.lastIndexOf('.') + 1);

/** @param {string} run @returns {string} the name of its stream */
export const streamOf = (run) => `BROADSIDE_${token(run)}`;

/** @param {string} text @returns {string} without the characters that a subject, a stream or a folder must not have */
export const token = (text) => text.replace(/[^A-Za-z0-9_-]/g, '_');
