// What is measured in which order: every client in every cell, once per round. Pure: the random order comes from a
// seed. The clients of a cell follow each other directly, so that a ratio compares neighbours.

/**
 * @template Cell, Client
 * @typedef {{cell: Cell, round: number, client: Client}} Step
 */

/**
 * @template Cell, Client, Figures
 * @typedef {Step<Cell, Client> & {figures: Figures}} Measurement figures: what came of the step
 */

/**
 * Cells in a new order each round, the clients of a cell too.
 * @template Cell, Client
 * @param {object} plan
 * @param {readonly Cell[]} plan.cells
 * @param {readonly Client[]} plan.clients
 * @param {number} plan.rounds
 * @param {number} plan.seed
 * @param {(cell: Cell, client: Client) => boolean} [plan.measures] whether the cell has that client; left out: all
 * @returns {Step<Cell, Client>[]}
 */
export function stepsOf({ cells, clients, rounds, seed, measures = () => true }) {
  const random = randomOf(seed);
  return Array.from({ length: rounds }, (_, i) => i + 1).flatMap((round) =>
    shuffle(cells, random).flatMap((cell) => {
      const those = clients.filter((client) => measures(cell, client));
      return shuffle(those, random).map((client) => ({ cell, round, client }));
    }),
  );
}

/** Whether two cells are the same; also when one was read from a file. @param {unknown} a @param {unknown} b */
export function sameCell(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * @template Cell, Figures
 * @template {string} Client
 * @param {Measurement<Cell, Client, Figures>[]} measurements
 * @param {Cell} cell
 * @param {readonly Client[]} clients
 * @returns {(Record<Client, Figures> & {round: number})[]} the figures of each round in which all clients were measured
 */
export function wholeRounds(measurements, cell, clients) {
  /** @type {Map<number, Partial<Record<Client, Figures>>>} */
  const rounds = new Map();
  for (const { round, client, figures, ...step } of measurements) {
    if (sameCell(step.cell, cell)) rounds.set(round, { ...rounds.get(round), [client]: figures });
  }
  const whole = [...rounds].filter(([, found]) => clients.every((client) => found[client] !== undefined));
  return whole.map(([round, found]) => /** @type {any} */ ({ ...found, round }));
}

/**
 * Fisher and Yates.
 * @template T
 * @param {readonly T[]} items
 * @param {() => number} random
 * @returns {T[]}
 */
function shuffle(items, random) {
  const left = [...items];
  return items.map(() => /** @type {T} */ (left.splice(Math.floor(random() * left.length), 1)[0]));
}

/** @param {number} seed @returns {() => number} in [0, 1): xorshift32 (Marsaglia 2003) */
function randomOf(seed) {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
