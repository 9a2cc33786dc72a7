// What controller and agents say to each other. Requests are answered at once; entries are read from the stream of the run,
// in order. Times are in ns of the receiver's own CLOCK_MONOTONIC: the controller converts them (clock-offset.js).

/**
 * @typedef {import('../cluster/messages.js').ToWorker} ToWorker
 * @typedef {import('../cluster/messages.js').FromWorker} FromWorker
 * @typedef {import('../../machine/host.js').Host} Host
 *
 * Who an agent is, the answer to `discover {target}`.
 * @typedef {{ version: number, name: string, broadside: string, run: string | null, allow: string[],
 *   host: Host }} Hello  run: that it works for now; allow: networks that its targets must be in
 *
 * To one agent, each with its answer:
 * @typedef {{ type: 'clock' }} ClockRequest                -> { ns: bigint }
 * @typedef {{ type: 'reserve', version: number, run: string, targets: string[], deadlineMs?: number }} ReserveRequest  -> Reservation
 * @typedef {{ type: 'release', run: string }} ReleaseRequest  -> { ok: true }
 * @typedef {ClockRequest | ReserveRequest | ReleaseRequest} Request
 * @typedef {{ ok: true } | { ok: false, code: string, data: Record<string, any>, text: string }} Reservation
 *
 * One process of one worker of a leg; a replacement has the next generation.
 * @typedef {{ leg: string, worker: number, generation: number }} Which
 *
 * To an agent: start a process, pass a message to it, kill it, or let it end.
 * @typedef {Which & ({ type: 'fork' } | { type: 'message', message: ToWorker } | { type: 'kill' } | { type: 'end' })} ToAgent
 *
 * From an agent: what its workers say; a process has started, or ended by itself; how late a worker learned of the start; and
 * `beat`, each second. stopped: the agent has ended the load by itself, because nothing was acknowledged for forMs.
 * @typedef {(Which & ({ type: 'message', message: FromWorker } | { type: 'forked', pid: number }
 *   | { type: 'lost', how: string, started: boolean, stderr: string } | { type: 'started', lateNs: number }))
 *   | { type: 'beat', ns: bigint } | { type: 'stopped', forMs: number }} FromAgent
 */

/** Between two beats. */
export const BEAT_MS = 1000;
/** What an agent of which no beat came for this long is: lost. */
export const MISSED_BEATS = 3;

export {};
