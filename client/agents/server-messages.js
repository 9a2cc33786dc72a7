// The messages between controller and agent about a server under test that the agent starts, in the stream of the run
// as entries `{type: 'server', message}`. Times are in ns of the agent's CLOCK_MONOTONIC.

/**
 * @import { Data } from '../errors.js'
 * @import { HostUse } from '../machine/host-meter.js'
 * @import { Transport } from '../transports/index.js'
 * @import { ServerReading } from '../run/server-meter.js'
 * @import { ServerExit } from '../run/server-under-test.js'
 */

/**
 * An order to start a server of the agent's checkout, or a command. The agent chooses the address.
 * @typedef {object} ServerOrder
 * @property {string} [name]
 * @property {string} [command]
 * @property {Record<string, unknown>} [options]  of the manifest
 * @property {Record<string, string>} [env]
 * @property {string} protocol
 * @property {Transport} transport
 * @property {number} readyTimeoutMs
 *
 * A server that has been started.
 * @typedef {{ host: string, port: number, authority: string | null }} StartedServer  authority:
 *   PEM of the certificate that verifies the server's
 *
 * A reading of all instances of a server and of their machine.
 * @typedef {ServerReading & Required<Pick<HostUse, 'busy' | 'kernel'>>} HostReading
 *
 * The end of an instance. stoppedBecause: why the agent stopped it without an order.
 * @typedef {Omit<ServerExit, 'warning'> & { stoppedBecause?: string }} ServerEnding
 *
 * Requests to the agent, each with a number that its answer repeats. server: the number of the request that started
 * it. read: now, and at these moments for a later answer; keep: without a controller, the agent stops its servers at
 * that time.
 * @typedef {{ request: number } & ServerTask} ToServerHost
 * @typedef {{ type: 'build', names: string[] } | { type: 'start', order: ServerOrder, instances: number }
 *   | { type: 'read', server: number, moments: bigint[] } | { type: 'stop', server: number, instance: number }
 *   | { type: 'keep', untilNs: bigint }} ServerTask
 *
 * @typedef {'stdout' | 'stderr'} Output
 *
 * Messages of the agent: the answer to a request; a line of a build or a server; the end of a server, by itself or
 * because it was stopped.
 * @typedef {{ type: 'answer', request: number, value: unknown }
 *   | { type: 'refused', request: number, error: RemoteError }
 *   | { type: 'line', server: number, instance: number, stream: Output, text: string }
 *   | { type: 'ended', server: number, instance: number, ending: ServerEnding }} FromServerHost
 *
 * @typedef {{ code: string, data: Data, text: string }} RemoteError
 */
