// What controller and agents say to each other. Requests are answered at once; entries are read from the stream of the
// run, in order. Times are in ns of the receiver's own CLOCK_MONOTONIC: the controller converts them (clock-offset.js).

/**
 * @import { Data } from '../errors.js'
 * @import { Host } from '../machine/host.js'
 * @import { FromWorker, ToWorker } from '../run/cluster/messages.js'
 * @import { FromServerHost, ToServerHost } from './server-messages.js'
 */

/**
 * Who an agent is, the answer to `discover {target}`.
 * @typedef {{ version: string, name: string, broadside: string, run: string | null, allow: string[],
 *   host: Host, serves: Serves | null, logs: LogsPlace }} Hello  run: that it works for now; allow: networks that its
 *   targets must be in
 * @typedef {{ address: string, servers: string[], commands: boolean }} Serves  what it may start as the server under
 *   test: names and patterns, and whether any command; address: that it listens on
 * @typedef {{ host: string, folder: string }} LogsPlace  where its transfer logs are: name of the host, path
 *
 * To one agent, each with its answer:
 * @typedef {{ type: 'clock' }} ClockRequest                -> { ns: bigint }
 * @typedef {{ type: 'hello' }} HelloRequest                -> Hello
 * @typedef {{ type: 'environment' }} EnvironmentRequest    -> as in environment.json, of its host
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
 * One process of one worker of a leg; a replacement has the next generation.
 * @typedef {{ leg: string, worker: number, generation: number }} Which
 *
 * To an agent: start a process, pass a message to it, kill it, or let it end. server: about the server under test.
 * @typedef {{ type: 'server', message: ToServerHost }} ToServerAgent
 * @typedef {(Which & ({ type: 'fork' } | { type: 'message', message: ToWorker } | { type: 'kill' } | { type: 'end' }))
 *   | ToServerAgent} ToAgent
 *
 * From an agent: what its workers say; a process has started, or ended by itself; how late a worker learned of the
 * start, or of its slices (sliced); and `beat`, when nothing else was said for a while. stopped: the agent has ended
 * the load by itself, because nothing was acknowledged for forMs; legs: those that it has cut short.
 * @typedef {(Which & ({ type: 'message', message: FromWorker } | { type: 'forked', pid: number } | { type: 'lost', how:
 *   string, started: boolean, stderr: string } | { type: 'started' | 'sliced', lateNs: number })) | { type: 'beat', ns:
 *   bigint } | { type: 'stopped', forMs: number, agent: string, legs: string[] } | { type: 'server', message:
 *   FromServerHost }} FromAgent
 */

/** Between two beats. */
export const BEAT_MS = 1000;
/** What an agent of which no beat came for this long is: lost. */
export const MISSED_BEATS = 3;
