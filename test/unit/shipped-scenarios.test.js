// The plans of the shipped scenarios. The table of them in config/README.md is made here, since a plan needs a machine:
// that of the other tests.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { MIN_SLICES } from '../../client/judge/statistics/index.js';
import { plannedSlices } from '../../client/measure/slices.js';
import { planRun } from '../../client/plan/plan.js';
import { scenarioNames } from '../../client/scenario/file.js';
import { withServers } from '../../client/scenario/keys/servers.js';
import { matchServers } from '../../client/scenario/keys/server-patterns.js';
import { loadScenario } from '../../client/scenario/scenario.js';
import { count, duration } from '../../client/words/format.js';
import { table, withTable } from '../../config/reference.js';
import { listServers } from '../../servers/launcher/index.js';
import { host } from '../fixtures/hosts.js';

/** @import { Plan } from '../../client/measure/settings.js' */

/** A machine that is large enough for all of them. */
const machine = { ...host, descriptors: 1_100_000, openFiles: 4e6, memoryAvailableBytes: 16 * 2 ** 30 };

const README = new URL('../../config/README.md', import.meta.url);

/** @param {string} name @returns {Promise<Plan>} with every server there is */
async function planOf(name) {
  const requested = await loadScenario({ config: name });
  const known = listServers();
  const servers = matchServers(requested, known).met.flatMap(({ entry }) => entry);
  const scenario = withServers(requested, servers);
  return (await planRun(scenario, machine, known)).plan;
}

/** @returns {Promise<string>} the shipped scenarios, with their legs and how long these take at most */
async function scenariosTable() {
  const rows = await Promise.all(
    scenarioNames().map(async (name) => {
      const { description } = await loadScenario({ config: name });
      const [sentence] = /^.*?[.?](?= |$)/.exec(description) ?? [''];
      const { legs, search, expected } = await planOf(name);
      const time = duration(Math.round(expected.seconds) * 1e9);
      return [`\`${name}\``, sentence, count(search?.mostLegs ?? legs.length), time];
    }),
  );
  return table(['scenario', 'what it does', 'legs', 'up to'], rows);
}

describe('the shipped scenarios', () => {
  it('are all in the table of config/README.md: npm run reference', async () => {
    const made = withTable(README, 'scenarios', await scenariosTable());
    if (process.env.UPDATE_GOLDEN) writeFileSync(README, made);
    assert.equal(readFileSync(README, 'utf8'), made);
  });

  it('load each server long enough to rank it, where servers are compared in slices', async () => {
    for (const name of scenarioNames()) {
      const { legs, rounds } = await planOf(name);
      for (const leg of legs) assert.ok(rounds * plannedSlices(leg) >= MIN_SLICES, name);
    }
  });
});
