// What is refused before anything starts, and what next to it is accepted: the rows of test/golden/refusals.txt.

import { resolveScenario } from '../../client/scenario/scenario.js';
import { flagsOf } from '../../client/scenario/flags.js';
import { refusalOf, mistakesOf } from '../fixtures/codes.js';
import { assertGolden, readGolden } from '../fixtures/golden.js';
import { refused } from '../fixtures/refused.js';

/** Of every scenario, unless it says otherwise. */
const COMMON = { servers: ['epoll'], connections: 10 };

/**
 * @param {any} row of the table
 * @returns {unknown} the scenario: null removes a key, and a row with a target or command has no servers
 */
function contentOf(row) {
  if (row === null || Array.isArray(row)) return row;
  const { servers, ...others } = COMMON;
  const content = { ...('target' in row || 'command' in row ? others : { servers, ...others }), ...row };
  return Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null));
}

/** @param {string} line @returns {Promise<string>} with the codes that are found */
async function judged(line) {
  if (line === '' || line.startsWith('#')) return line;
  const [, input] = line.split(/ \| (.*)/);
  if (input.startsWith('$ ')) {
    const words = [...input.slice(2).matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));
    return `${mistakesOf(await refused(words)).join('; ')} | ${input}`;
  }
  const [content, flags = {}] = input.split(' + ').map((text) => JSON.parse(text));
  const codes = await refusalOf(() => resolveScenario({ content: contentOf(content) }, flagsOf(flags)));
  return `${codes.join('; ') || 'accepted'} | ${input}`;
}

describe('refusals', () => {
  it('have the codes of the table', async () => {
    const lines = readGolden('refusals.txt').split('\n');
    const judgements = [];
    for (const line of lines) judgements.push(await judged(line));
    assertGolden('refusals.txt', judgements.join('\n'));
  });
});
