// No line of the page ends between a number and its unit.

import assert from 'node:assert/strict';
import { keepUnits } from '../../report/html/units.js';

describe('report: a number and its unit', () => {
  it('have a non-breaking space between them, in texts only', () => {
    const nb = '\u00a0';
    assert.equal(
      keepUnits('<p>1 KiB in 68.4 ms, 5 s, 16 % or 12 MB/s</p>'),
      `<p>1${nb}KiB in 68.4${nb}ms, 5${nb}s, 16${nb}% or 12${nb}MB/s</p>`,
    );
    for (const same of [
      '<b data-leg="size 1 KiB">1 server, 2 sockets, round 3 stalls</b>',
      '<script type="application/json">"1 KiB"</script>',
      '<style>a{margin:1 %}</style>',
      '<code>--wait 5 s</code>',
    ])
      assert.equal(keepUnits(same), same);
  });
});
