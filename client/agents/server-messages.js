// What controller and agent say to each other about the server under test, where the agent starts it. Both directions
// are in the stream of the run, as entries `{type: 'server', message}`. Times are in ns of the agent's CLOCK_MONOTONIC.

/**
 * @import { Data } from '../errors.js'
 * @import { HostUse } from '../machine/host-meter.js'
 * @import { Transport } from '../transports/index.js'
 * @import { ServerReading } from '../run/server-meter.js'
 * @import { ServerExit } from '../run/server-under-test.js'
 */

/**
 * What is to be started: a server of the agent's checkout, or a command. Where it listens is the agent's choice.
 * @typedef {object} ServerOrder
 * @property {string} [name]
 * @property {string} [command]
 * @property {Record<string, unknown>} [options]  of the manifest
 * @property {Record<string, string>} [env]
 * @property {string} protocol
 * @property {Transport} transport
 * @property {number} readyTimeoutMs
 *
 * What has been started.
 * @typedef {{ host: string, port: number, authority: string | null }} StartedServer  authority:
 *   PEM of the certificate that its own is checked against
 *
 * A reading of all instances of a server and of their machine.
 * @typedef {ServerReading & Required<Pick<HostUse, 'busy' | 'kernel'>>} HostReading
 *
 * How one has ended. stoppedBecause: why the agent has stopped it by itself.
 * @typedef {Omit<ServerExit, 'warning'> & { stoppedBecause?: string }} ServerEnding
 *
 * To the agent, each with a number, and answered once with that number. server: the number of the request that started
 * it. read: now, and for a later answer at these moments; keep: without a controller, the agent stops its servers at
 * that time, and not earlier.
 * @typedef {{ request: number } & ServerTask} ToServerHost
 * @typedef {{ type: 'build', names: string[] } | { type: 'start', order: ServerOrder, instances: number }
 *   | { type: 'read', server: number, moments: bigint[] } | { type: 'stop', server: number, instance: number }
 *   | { type: 'keep', untilNs: bigint }} ServerTask
 *
 * @typedef {'stdout' | 'stderr'} Output
 *
 * From the agent: the answer to a request; a line of a build or a server; a server has ended, by itself or because it
 * was stopped.
 * @typedef {{ type: 'answer', request: number, value: unknown }
 *   | { type: 'refused', request: number, error: RemoteError }
 *   | { type: 'line', server: number, instance: number, stream: Output, text: string }
 *   | { type: 'ended', server: number, instance: number, ending: ServerEnding }} FromServerHost
 *
 * @typedef {{ code: string, data: Data, text: string }} RemoteError
 */
