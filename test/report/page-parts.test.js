// What the page is put together from: scripts joined into one scope, and the words of every cause and status.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { names } from '../../client/engine/index.js';
import { errorCauses, rejectCauses } from '../../client/measure/fields.js';
import { STATUSES } from '../../report/browser/tooltip.js';
import { FLAME_SCRIPT, LIVE_SCRIPT, SCRIPTS } from '../../report/html/page.js';
import { ERROR_WORDS, REJECT_WORDS } from '../../report/model/charts/words.js';
import { causeStyle } from '../../report/model/palette.js';

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
    const modules = [...SCRIPTS, FLAME_SCRIPT, LIVE_SCRIPT].map((name) => ({ name, url: new URL(name, PAGE) }));
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

  it('colours the swatch of each cause, over the style of all swatches', () => {
    const text = readFileSync(new URL('../../report/browser/style/chart.css', import.meta.url), 'utf8');
    assert.match(text, /\.swatch:is\([^)]*\.cause/);
    for (const name of [...rejectCauses, ...errorCauses])
      assert.ok(causeStyle().includes(`.swatch.cause.cause-${name}{background:var(--${name})}`), name); // three classes
  });

  it('names every status of a transfer, and every cause of a reject or an error', () => {
    assert.deepEqual(STATUSES, names.statuses.slice(0, STATUSES.length));
    assert.deepEqual([Object.keys(REJECT_WORDS), Object.keys(ERROR_WORDS)], [[...rejectCauses], [...errorCauses]]);
  });
});
