/** The call trees of a run whose servers were profiled: profiles.json of its folder. */

import { isObject } from '../../client/measure/objects.js';

/**
 * @import { TreeNode } from '../../client/judge/explained/call-tree.js'
 * @import { ProfileTree } from '../types.js'
 */

const SCHEMA = 1;

/** @param {unknown} value @returns {boolean} */
const isText = (value) => typeof value === 'string';

/** @param {unknown} value @returns {boolean} */
const isCpuTime = (value) => typeof value === 'number' && value >= 0 && Number.isFinite(value);

/** @param {unknown} value @returns {boolean} */
const isFunction = (value) =>
  isObject(value) &&
  isText(value.name) &&
  isText(value.file) &&
  (value.line === undefined || Number.isInteger(value.line));

/** @param {unknown} value @param {number} functions @param {number} sides @returns {value is TreeNode} */
const isNode = (value, functions, sides) =>
  Array.isArray(value) &&
  Number.isInteger(value[0]) &&
  value[0] >= 0 &&
  value[0] < functions &&
  [value[1], value[2]].every(Array.isArray) &&
  value[1].length === sides &&
  value[1].every(isCpuTime) &&
  value[2].every((/** @type {unknown} */ child) => isNode(child, functions, sides));

/** @param {unknown} value @returns {value is ProfileTree} */
function isTree(value) {
  if (!isObject(value) || !isText(value.case) || !Array.isArray(value.functions) || !Array.isArray(value.roots))
    return false;
  const { against, functions, roots } = value;
  const sides = against === undefined ? 1 : 2;
  return (
    (sides === 1 || isText(against)) &&
    functions.every(isFunction) &&
    roots.every((/** @type {unknown} */ root) => isNode(root, functions.length, sides))
  );
}

/**
 * @param {string} text of profiles.json
 * @returns {ProfileTree[]}
 * @throws {Error} when it is damaged
 */
export function parseProfiles(text) {
  const document = JSON.parse(text);
  if (!isObject(document) || document.schema !== SCHEMA || !Array.isArray(document.trees))
    throw new Error(`it has no trees of schema ${SCHEMA}`);
  const damaged = document.trees.findIndex((/** @type {unknown} */ tree) => !isTree(tree));
  if (damaged !== -1) throw new Error(`trees/${damaged} is no call tree`);
  return document.trees;
}
