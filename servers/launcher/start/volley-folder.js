// A server as a folder of volley's form: a Makefile with the targets NAME and `clean`, which makes a program NAME that
// takes exactly `-p PORT`. Pure.

/** @typedef {import('../manifest/list-servers.js').ListedServer} ListedServer */

/** Options of a manifest with which a server does what volley expects: end at the word zero. */
const STOP = 'volleyStop';
const PREFIX = 'broadside-';

/** @param {Pick<ListedServer, 'manifest'>} server @returns {boolean} whether it can be such a program */
export function canBeVolleys({ manifest: { protocols, options = {}, run } }) {
  return protocols.includes('volley') && STOP in options && !run.some((word) => word.includes('{scratch}'));
}

/**
 * @param {Pick<ListedServer, 'name' | 'folder' | 'manifest'>} server built
 * @returns {{name: string, files: Record<string, string>}} of the folder; its files by name
 */
export function volleyFolder({ name: server, folder, manifest: { run, options = {} } }) {
  const name = PREFIX + server;
  const values = { host: '127.0.0.1', protocol: 'volley' };
  const words = [...run, ...options[STOP]].map((word) =>
    word === '{port}'
      ? '"$2"'
      : quoted(word.replace(/\{(host|protocol)\}/g, (_, key) => values[/** @type {'host'} */ (key)])),
  );
  const script = [
    '#!/bin/sh',
    `# Broadside's server ${server} as a program of volley. Its own output goes to stderr, so that stdout has the result alone.`,
    `if [ $# -ne 2 ] || [ "$1" != -p ]; then echo ${quoted(`usage: ${name} -p PORT`)} >&2; exit 2; fi`,
    `cd ${quoted(folder)} && exec ${words.join(' ')} >&2`,
  ];
  const makefile = [`${name}: ${name}.sh`, '\tcp $< $@ && chmod +x $@', 'clean:', `\trm -f ${name}`];
  return { name, files: { [`${name}.sh`]: lines(script), Makefile: lines(makefile) } };
}

/** @param {string[]} all */
const lines = (all) => `${all.join('\n')}\n`;

/** @param {string} word @returns {string} for a shell */
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
