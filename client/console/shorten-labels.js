// Names of legs where there is little room: what labels differ in, their ends and their brackets, is kept. Pure.

/** What all legs of a sweep end with. */
const SWEPT = / connections?$/;

/** @param {string} text @param {number} most @returns {string} both ends stay: names often differ in the last part */
export function shortened(text, most) {
  if (text.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return `${text.slice(0, most - 1 - end)}…${text.slice(text.length - end)}`;
}

/**
 * Names such as "epoll-pool (workKind block)", all cut in the same way: first the names of the options go, then the
 * middle of the server's name; what the options are stays.
 * @param {string[]} labels @param {number} most @returns {Map<string, string>}
 */
export function shortLabels(labels, most) {
  if (labels.some((label) => label.length > most) && labels.every((label) => SWEPT.test(label))) {
    const short = shortLabels(
      labels.map((label) => label.replace(SWEPT, '')),
      most,
    );
    return new Map(labels.map((label) => [label, short.get(label.replace(SWEPT, '')) ?? label]));
  }
  const parts = labels.map((label) => {
    const [, name = label, details] = /^(.*\S) \((.*)\)$/.exec(label) ?? [];
    return {
      name,
      values: details
        ?.split(', ')
        .map((one) => one.replace(/^\S+ /, ''))
        .join(', '),
    };
  });
  const fits = labels.every((label) => label.length <= most);
  return new Map(
    labels.map((label, i) => {
      const { name, values } = parts[i];
      if (fits || values === undefined) return [label, shortened(label, most)];
      const room = most - values.length - 3;
      return [label, room >= 4 ? `${shortened(name, room)} (${values})` : shortened(`${name} (${values})`, most)];
    }),
  );
}
