// What the page is put together from: scripts joined into one scope, one palette, and the words of every cause and status.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { names } from '../../client/engine/index.js';
import { causeName, REJECT_MEANINGS } from '../../client/words/causes.js';
import { errorCauses, rejectCauses } from '../../client/measure/counters.js';
import { STATUSES } from '../../report/browser/tooltip.js';
import { LIVE_SCRIPT, LIVE_STYLE, SCRIPTS, STYLES } from '../../report/html/page.js';
import { ENDINGS } from '../../client/words/endings.js';
import { failureRemarks } from '../../report/model/reasons.js';
import { ERROR_WORDS, REJECT_WORDS } from '../../report/model/charts/words.js';
import { pageLeg } from '../../report/model/page-leg.js';
import { withSummary } from '../fixtures/page-legs.js';
import { SMALL_TEXT } from '../../report/browser/theme.js';
import { DARK, LIGHT, paletteStyle } from '../../report/model/palette.js';
import { readRun } from '../../report/read/read-run.js';
import { RECORDED } from '../fixtures/recorded-run.js';

const PAGE = new URL('../../report/html/page.js', import.meta.url);

/** @param {string} text of a module @returns {string[]} the names it declares at its top level */
function declaredIn(text) {
  const found = text.matchAll(
    /^(?:export )?(?:async )?(?:function\*?|class|const|let|var) +(\{[^}]*\}|\[[^\]]*\]|[\w$]+)/gm,
  );
  return [...found].flatMap(([, name]) => name.match(/[\w$]+/g) ?? []);
}

describe('the page', () => {
  it('joins modules that declare no name twice, and import only each other', () => {
    const modules = [...SCRIPTS, LIVE_SCRIPT].map((name) => ({ name, url: new URL(name, PAGE) }));
    const joined = new Set(modules.map(({ url }) => url.href));
    /** @type {Map<string, string>} */
    const owners = new Map();
    for (const { name, url } of modules) {
      const text = readFileSync(url, 'utf8');
      for (const declared of declaredIn(text)) {
        assert.equal(owners.get(declared), undefined, `${declared} of ${name} is declared again`);
        owners.set(declared, name);
      }
      for (const [, from] of text.matchAll(/^import [^;]*? from '([^']+)';/gm)) {
        assert.ok(joined.has(new URL(from, url).href), `${name} imports ${from}, which is not joined`);
      }
      assert.doesNotMatch(text, /^import [^;]* as /m, `${name}: a renamed import would lose its name`);
    }
    assert.ok(owners.has('duration') && owners.has('STATUSES'));
  });

  it('has a colour for every cause, and no two alike in one chart', () => {
    for (const palette of [LIGHT, DARK]) {
      for (const causes of [rejectCauses, errorCauses]) {
        const colours = causes.map((cause) => palette.causes[cause]);
        assert.ok(colours.every((colour) => /^#[0-9a-f]{6}$/.test(colour)));
        assert.equal(new Set(colours).size, causes.length);
      }
      assert.notEqual(palette.causes.local, palette.causes.corrupt);
      assert.equal(
        new Set([palette.ink, palette.surface, palette.failed, ...palette.legs]).size,
        3 + palette.legs.length,
      );
    }
    assert.equal(LIGHT.legs.length, DARK.legs.length);
  });

  it('has its colours in one place', () => {
    const folder = new URL('../browser/style/', PAGE);
    const names = readdirSync(folder);
    const sheets = [...STYLES, LIVE_STYLE].map((name) => name.replace('../browser/style/', ''));
    assert.deepEqual(sheets.sort(), names.sort());
    const sheet = names.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('');
    const defined = new Set([...paletteStyle().matchAll(/--([\w-]+):/g)].map(([, name]) => name));
    for (const [, name] of sheet.matchAll(/^ +--([\w-]+):/gm))
      assert.ok(!defined.has(name), `--${name} is defined twice`);
    const leg = new Set(['leg', 'grid', ...[...sheet.matchAll(/--([\w-]+):/g)].map(([, name]) => name)]);
    for (const [, name] of sheet.matchAll(/var\(--([\w-]+)\)/g)) assert.ok(defined.has(name) || leg.has(name), name);
  });

  it('has all sizes of type from one scale, and no colour outside the palette', () => {
    for (const name of STYLES) {
      const sheet = readFileSync(new URL(name, PAGE), 'utf8');
      for (const [, size] of sheet.matchAll(/font-size: ([^;]+);/g)) {
        assert.match(size, /^(var\(--font-(small|text|lead|heading|title)\)|inherit)$/, name);
      }
      assert.doesNotMatch(sheet, /#[0-9a-f]{3,8}\b(?=[^{}]*;)/i, `${name} has a colour of its own`);
    }
    const scale = readFileSync(new URL('../browser/style/page.css', PAGE), 'utf8');
    assert.equal(/--font-small: (\d+)px/.exec(scale)?.[1], String(SMALL_TEXT), 'charts and text have one scale');
  });

  it('names every status of a transfer, and every cause of a reject or an error', () => {
    assert.deepEqual(STATUSES, names.statuses.slice(0, STATUSES.length));
    assert.equal(STATUSES[7], 'other');
    assert.deepEqual(Object.keys(REJECT_MEANINGS), [...rejectCauses]);
    assert.deepEqual([Object.keys(REJECT_WORDS), Object.keys(ERROR_WORDS)], [[...rejectCauses], [...errorCauses]]);
  });

  it('has different words for every end of a leg', () => {
    assert.equal(new Set(Object.values(ENDINGS)).size, Object.keys(ENDINGS).length);
  });

  it('gives the reason for every cause of a reject', async () => {
    const run = await readRun(RECORDED);
    const [first] = run.legs.map((leg) => pageLeg(leg, run));
    for (const cause of rejectCauses) {
      const leg = withSummary(first, {
        errors: { total: 0 },
        connectSteps: undefined,
        rejects: { total: 3, [cause]: 3 },
        kernel: {},
      });
      const [{ code, data, text }] = failureRemarks(leg, 10e9);
      assert.deepEqual([code, data.total, data.causes[0].cause], ['rejects', 3, cause]);
      const meaning = cause === 'timeout' ? 'no answer within 10 s' : REJECT_MEANINGS[cause];
      assert.equal(text, `3 rejects, ${causeName(cause)}: ${meaning}.`);
    }
  });
});
