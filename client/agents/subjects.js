// The subjects and the stream that controller and agents use on a NATS server. Requests that need an answer at once
// (which agents there are, what time it is) use core NATS; the messages of a run are in the run's stream.

const ROOT = 'broadside';

/** Whether it can be an agent's name, which is a token of a subject. */
export const isName = (/** @type {string} */ text) => /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(text);

/**
 * @param {unknown} value
 * @returns {value is string} whether it can be the id of a run or a leg (store/run-folder.js)
 */
export const isId = (value) => typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/.test(value);

export const subjects = Object.freeze({
  /** Every agent answers with its hello. */
  discover: `${ROOT}.discover`,
  /** Requests to an agent. @param {string} agent */
  agent: (agent) => `${ROOT}.agent.${agent}`,
  /** The controller of a run is alive. @param {string} run */
  beat: (run) => `${ROOT}.beat.${token(run)}`,
  /** Orders of the controller to an agent. @param {string} run @param {string} agent */
  to: (run, agent) => `${ROOT}.run.${token(run)}.to.${agent}`,
  /** Reports of an agent. @param {string} run @param {string} agent */
  from: (run, agent) => `${ROOT}.run.${token(run)}.from.${agent}`,
});

/** @param {string} subject of a report @returns {string} name of the agent that may write there */
export const senderOf = (subject) => subject.slice(subject.lastIndexOf('.') + 1);

/** @param {string} run @returns {string} the name of its stream */
export const streamOf = (run) => `BROADSIDE_${token(run)}`;

/** @param {string} text @returns {string} valid in the name of a subject, a stream or a folder */
export const token = (text) => text.replace(/[^A-Za-z0-9_-]/g, '_');
