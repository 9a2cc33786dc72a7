// The messages between controller and agents. Requests are answered at once; entries are read in order from the stream
// of the run. Times are in ns of the receiver's CLOCK_MONOTONIC: the controller converts them (clock-offset.js).

/**
 * @import { Data } from '../errors.js'
 * @import { Host } from '../machine/host.js'
 * @import { FromWorker, ToWorker } from '../run/cluster/messages.js'
 * @import { FromServerHost, ToServerHost } from './server-messages.js'
 */

/**
 * An agent's description of itself, the answer to `discover {target}`.
 * @typedef {{ version: string, name: string, broadside: string, run: string | null, allow: string[],
 *   host: Host, serves: Serves | null, logs: LogsPlace }} Hello  run: its current run; allow: networks that its targets
 *   must be in
 * @typedef {{ address: string, servers: string[], commands: boolean }} Serves  what it may start as the server under
 *   test: servers: names and patterns; commands: whether any command; address: that the server listens on
 * @typedef {{ host: string, folder: string }} LogsPlace  host name and path of its transfer logs
 *
 * Requests to an agent, each with its answer:
 * @typedef {{ type: 'clock' }} ClockRequest                -> { ns: bigint }
 * @typedef {{ type: 'hello' }} HelloRequest                -> Hello
 * @typedef {{ type: 'environment' }} EnvironmentRequest    -> its host as in environment.json
 * @typedef {{ type: 'servers', names: string[] }} ServersRequest  -> Availability[], in the same order
 * @typedef {{ type: 'reserve', version: string, run: string, targets: string[], deadlineMs?: number, serves?: true }}
 *   ReserveRequest  -> Reservation; serves: to start servers
 * @typedef {{ type: 'release', run: string }} ReleaseRequest  -> { ok: true }
 * @typedef {ClockRequest | HelloRequest | EnvironmentRequest | ServersRequest | ReserveRequest | ReleaseRequest}
 *   Request
 * @typedef {{ available: boolean, why: string | null, remedy: string | null,
 *   problem: { code: string, data: Record<string, unknown> } | null }} Availability  of a server on the agent
 * @typedef {{ ok: false, code: string, data: Data, text: string }} Refusal
 * @typedef {{ ok: true } | Refusal} Reservation
 *
 * A process of a worker of a leg; a replacement has the next generation.
 * @typedef {{ leg: string, worker: number, generation: number }} Which
 *
 * Orders to an agent: start a process, pass a message to it, kill it, or let it end. server: about the server under
 * test.
 * @typedef {{ type: 'server', message: ToServerHost }} ToServerAgent
 * @typedef {(Which & ({ type: 'fork' } | { type: 'message', message: ToWorker } | { type: 'kill' } | { type: 'end' }))
 *   | ToServerAgent} ToAgent
 *
 * Reports of an agent: messages of its workers; a process has started, or ended by itself; how late a worker received
 * the start or its slices (sliced); `beat`, when there was no other report for a while. stopped: the agent has ended
 * the load, because nothing was acknowledged for forMs; legs: those that it has cut short.
 * @typedef {(Which & ({ type: 'message', message: FromWorker } | { type: 'forked', pid: number } | { type: 'lost', how:
 *   string, started: boolean, stderr: string } | { type: 'started' | 'sliced', lateNs: number })) | { type: 'beat', ns:
 *   bigint } | { type: 'stopped', forMs: number, agent: string, legs: string[] } | { type: 'server', message:
 *   FromServerHost }} FromAgent
 */

/** Interval of beats. */
export const BEAT_MS = 1000;
/** An agent that misses this many beats is lost. */
export const MISSED_BEATS = 3;
