/**
 * Line dashes and point marks of the legs where they are drawn over one another, so that colour is never the only
 * difference. Used on both sides: the generator draws legends from it, the page gets the same text inlined.
 */
export const DASHES = [[], [7, 3], [2, 2.5], [9, 3, 2, 3], [4, 4], [12, 4], [1, 3], [6, 2, 1, 2, 1, 2]];
export const MARKS = ['circle', 'rect', 'triangle', 'rectRot', 'crossRot', 'star', 'rectRounded', 'cross'];
