// ESLint rules about imports: which folders may import which, no circles, and no package that package.json does not
// declare. The plugins that have such rules need a resolver with binaries for each platform; relative paths need none.

import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';

/** @import { Rule } from 'eslint' */

/**
 * @typedef {{ target: string | string[], without?: string[], from: string | string[], except?: string[], message:
 *   string }} Zone  target, without some of its paths, may not import from, besides except; paths from the root, those
 *   of except from `from`
 * @typedef {Rule.RuleModule} RuleModule
 * @typedef {Rule.RuleContext} RuleContext
 */

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Of static imports and exports from other files. */
const IMPORT = /^(?:import|export)\b[^'"`;]*?\bfrom\s*'(\.[^']+)'|^import\s*'(\.[^']+)'/gm;

/** @param {string} file @param {string} folder @returns {boolean} whether it is that path, or lies below it */
const isIn = (file, folder) => file === folder || folder === '.' || file.startsWith(`${folder}/`);

/**
 * @param {(context: RuleContext, file: string, source: string, node: Rule.Node) => void} check file: from the root
 * @returns {RuleModule['create']} calls it for each import
 */
const forEachImport = (check) => (context) => {
  const file = path.relative(ROOT, context.filename);
  const visit = (/** @type {any} */ node) => {
    if (typeof node.source?.value === 'string') check(context, file, node.source.value, node);
  };
  return {
    ImportDeclaration: visit,
    ImportExpression: visit,
    ExportNamedDeclaration: visit,
    ExportAllDeclaration: visit,
  };
};

/** @param {string} file @param {string} source @returns {string} the file that is imported, from the root */
const imported = (file, source) => path.join(path.dirname(file), source);

/** @type {RuleModule} */
const zones = {
  meta: { schema: [{ type: 'array' }] },
  create: forEachImport((context, file, source, node) => {
    if (!source.startsWith('.')) return;
    const other = imported(file, source);
    const wrong = /** @type {Zone[]} */ (context.options[0]).find(
      ({ target, without = [], from, except = [] }) =>
        [target].flat().some((one) => isIn(file, one)) &&
        !without.some((one) => isIn(file, one)) &&
        [from].flat().some((one) => isIn(other, one) && !except.some((name) => isIn(other, path.join(one, name)))),
    );
    if (wrong) context.report({ node, message: wrong.message });
  }),
};

/** What each file imports, once read. @type {Map<string, string[]>} */
const known = new Map();

/** @param {string} file @returns {string[]} */
function importsOf(file) {
  const found = known.get(file);
  if (found) return found;
  const full = path.join(ROOT, file);
  const text = file.endsWith('.js') && existsSync(full) ? readFileSync(full, 'utf8') : '';
  const all = [...text.matchAll(IMPORT)].map(([, from, only]) => imported(file, from ?? only));
  known.set(file, all);
  return all;
}

/** @param {string} from @param {string} to @returns {string[] | null} the files on the way, if one imports the other */
function wayBetween(from, to) {
  /** @type {string[][]} */
  const ways = [[from]];
  const seen = new Set([from]);
  for (const way of ways) {
    const last = way[way.length - 1];
    if (last === to) return way;
    for (const next of importsOf(last)) {
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return null;
}

/** @type {RuleModule} */
const noCircle = {
  create: forEachImport((context, file, source, node) => {
    if (!source.startsWith('.') || node.type === 'ImportExpression') return;
    const way = wayBetween(imported(file, source), file);
    if (way) context.report({ node, message: `A circle of imports: ${[file, ...way].join(' > ')}.` });
  }),
};

const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
  readFileSync(path.join(ROOT, 'package.json'), 'utf8'),
);
/** What the package does not come with. */
const ofCheckouts = { ...devDependencies, ...optionalDependencies };

/** @type {RuleModule} */
const declared = {
  meta: { schema: [{ type: 'object' }] },
  create: forEachImport((context, file, source, node) => {
    if (source.startsWith('.') || source.startsWith('node:') || builtinModules.includes(source)) return;
    const name = source.split('/', source.startsWith('@') ? 2 : 1).join('/');
    const isDevelopment = /** @type {{ development: string[] }} */ (context.options[0]).development.some((one) =>
      isIn(file, one),
    );
    if (name in dependencies || (isDevelopment && name in ofCheckouts)) return;
    context.report({ node, message: `package.json does not declare ${name}${isDevelopment ? '' : ' for users'}.` });
  }),
};

export default { rules: { zones, 'no-circle': noCircle, declared } };
