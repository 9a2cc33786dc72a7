// The name of a leg, with its round and start.

/**
 * @param {{ label: string, round?: number, start?: number }} leg
 * @param {{ round?: number, start?: number }[]} legs of the run
 * @returns {string} such as "epoll, round 2, start 1"; without them if no leg is repeated
 */
export function legName({ label, round = 1, start = 1 }, legs) {
  const places = [
    ...(legs.some((leg) => Number(leg.round ?? 1) > 1) ? [`round ${round}`] : []),
    ...(legs.some((leg) => leg.start !== undefined) ? [`start ${start}`] : []),
  ];
  return [label, ...places].join(', ');
}
