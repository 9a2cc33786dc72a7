// Shortens names of legs. The parts in which labels differ, their ends and their brackets, are kept.

/** End of the labels of a sweep of connections. */
const SWEPT = / connections?$/;

/** @param {string} text @param {number} width @returns {string} cut in its middle: names often differ at the end */
export function shortened(text, width) {
  if (text.length <= width) return text;
  const end = Math.floor((width - 1) / 2);
  return `${text.slice(0, width - 1 - end)}…${text.slice(text.length - end)}`;
}

/**
 * Shortens labels such as "epoll-pool (workKind block)" in the same way: the names of options are removed first, then
 * the middle of the server's name. The values of options stay.
 * @param {string[]} labels @param {number} width @returns {Map<string, string>}
 */
export function shortLabels(labels, width) {
  if (labels.some((label) => label.length > width) && labels.every((label) => SWEPT.test(label))) {
    const short = shortLabels(
      labels.map((label) => label.replace(SWEPT, '')),
      width,
    );
    return new Map(labels.map((label) => [label, short.get(label.replace(SWEPT, '')) ?? label]));
  }
  const parts = labels.map((label) => {
    const [, name = label, details] = /^(.*\S) \((.*)\)$/.exec(label) ?? [];
    return {
      name,
      values: details
        ?.split(', ')
        .map((option) => option.replace(/^\S+ /, ''))
        .join(', '),
    };
  });
  const fits = labels.every((label) => label.length <= width);
  return new Map(
    labels.map((label, i) => {
      const { name, values } = parts[i];
      if (fits || values === undefined) return [label, shortened(label, width)];
      const room = width - values.length - 3;
      return [label, room >= 4 ? `${shortened(name, room)} (${values})` : shortened(`${name} (${values})`, width)];
    }),
  );
}
