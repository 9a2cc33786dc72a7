// A plain table for the console: columns padded with spaces, no lines, no colours: also for pipes. Pure.

/**
 * @param {string[]} head
 * @param {string[][]} rows
 * @param {number[]} [right] columns (from 0) that are aligned to the right
 * @returns {string} lines joined, the last without a line end
 */
export function plainTable(head, rows, right = []) {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
