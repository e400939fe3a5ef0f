// Hex dumps: what xxd, hexdump -C, od -tx1, Wireshark and debuggers print, with an address before the bytes of a line, and their text after them.

/** The start of a line that is hardly anything but an address. */
const ADDRESS = /^(?:0x)?(?:[0-9a-f]{6,}:|0{4,}(?::|\s))\s/i;
const pairsOf = (digits) => digits.match(/../g) ?? [];
const textOf = (digits) => String.fromCharCode(...pairsOf(digits).map((pair) => parseInt(pair, 16))).replace(/[^ -~]/g, '.');

/** Divides a line. Its bytes end where their text begins, if it has one. */
function rowOf(line) {
  const [, address, rest] = (line.length < 1000 && line.match(/^(?:0x)?([0-9a-f]{4,})(?::?\s+|:?$)(.*)$/i)) || [];
  for (const { index } of rest?.matchAll(/\s\s|$/g) ?? []) {
    const groups = rest.slice(0, index).replace(/\b0x/gi, '').match(/\S+/g) ?? [];
    if (!groups.every((group) => /^(?:[0-9a-f]{2})+$/i.test(group))) return null;
    const [digits, swapped] = [groups, groups.map((group) => pairsOf(group).reverse().join(''))].map((all) => all.join(''));
    const [shown, text] = [textOf(digits), rest.slice(index).trim()];
    if (text !== '' && ![shown.trim(), `|${shown}|`, `>${shown}<`].includes(text)) continue;
    // Some programs print words with the last byte first. Those of four digits with a text are from xxd, which does not, or in `>` and `<` from od, which does.
    const isOrdered = digits === swapped || (text !== '' && (textOf(swapped) !== shown || (text !== `>${shown}<` && groups.every(({ length }) => length < 5))));
    return { address, digits, isOrdered, hasText: text !== '' };
  }
  return null;
}

/**
 * Reads a dump. Each address says how many bytes are before it, so none is missing.
 * @returns {{digits: string} | {problem: string} | null} the problem is a line that cannot be read; `null` says that the text is no dump
 */
export function parseDump(text) {
  const lines = text.split('\n').map((line) => line.trim()).filter(Boolean);
  const rows = lines.map(rowOf);
  // od counts in octal, with seven digits, and `xxd -d` in decimal.
  const follows = ['0x', '0o', ''].map((prefix) => ({ address, digits }, next) => digits && next && (prefix !== '0o' || address.length === 7)
    && Number(prefix + next.address) - Number(prefix + address) === digits.length / 2);
  if (!rows.some((row, i) => ADDRESS.test(lines[i]) || (row && (row.hasText || follows.some((isNext) => isNext(row, rows[i + 1])))))) return null;
  const problems = follows.map((isNext) => rows.findIndex((row, i) => !row?.isOrdered || (i > 0 && !isNext(rows[i - 1], row))));
  return problems.includes(-1) ? { digits: rows.map(({ digits }) => digits).join(' ') } : { problem: lines[problems[0]] };
}
