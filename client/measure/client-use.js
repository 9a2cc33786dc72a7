// The resources that the client used in one second: its workers, their engines and the primary.

/**
 * @import { ProcessUsage } from '../machine/usage.js'
 * @import { Reported } from './sample-merge.js'
 * @import { ClientUse } from './sample.js'
 */

/**
 * @typedef {ClientUse['engines'][number]} EngineUse
 */

/**
 * @param {Reported[]} usages one a share (more if an interval came late); the memory of a worker counts once
 * @param {ProcessUsage} primary the usage of the primary itself, which is part of the client
 * @param {number} [workers] of the leg: share s is of worker s mod workers. By default each has one engine
 * @returns {ClientUse & { busiestWait: number }} busiestWait: the largest share of its time that an engine waited for a
 *   core
 */
export function clientUse(usages, primary, workers = Infinity) {
  /** @type {Map<number, number>} */
  const memory = new Map();
  /** @type {Map<number, { cpu: number, wait: number, wall: number }>} */
  const engines = new Map();
  const hasSeveral = usages.some(({ share }) => share >= workers);
  const use = {
    cpuSeconds: primary.cpuSeconds,
    engineCpuSeconds: 0,
    waitSeconds: 0,
    rssBytes: primary.rssBytes,
    workers: 0,
    busiestEngine: 0,
    busiestWait: 0,
    engines: /** @type {EngineUse[]} */ ([]),
  };
  for (const usage of usages) {
    use.cpuSeconds += usage.cpuSeconds;
    use.engineCpuSeconds += usage.engineCpuSeconds;
    use.waitSeconds += usage.waitSeconds;
    const worker = usage.share % workers;
    memory.set(worker, Math.max(memory.get(worker) ?? 0, usage.rssBytes));
    if (usage.wallSeconds <= 0) continue;
    const { cpu, wait, wall } = engines.get(usage.share) ?? { cpu: 0, wait: 0, wall: 0 };
    engines.set(usage.share, {
      cpu: cpu + usage.engineCpuSeconds,
      wait: wait + usage.waitSeconds,
      wall: wall + usage.wallSeconds,
    });
    use.busiestEngine = Math.max(use.busiestEngine, Math.min(1, usage.engineCpuSeconds / usage.wallSeconds));
    use.busiestWait = Math.max(use.busiestWait, Math.min(1, usage.waitSeconds / usage.wallSeconds));
  }
  for (const rssBytes of memory.values()) use.rssBytes += rssBytes;
  use.workers = memory.size;
  use.engines = [...engines]
    .sort(([a], [b]) => a - b)
    .map(([share, { cpu, wait, wall }]) => ({
      worker: share % workers,
      ...(hasSeveral ? { engine: Math.floor(share / workers) } : {}),
      cpu: Math.min(1, cpu / wall),
      wait: Math.min(1, wait / wall),
    }));
  return use;
}
