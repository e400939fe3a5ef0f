// Forbidden characters that follow each other, as the command reports them: a run is one finding, with the text that it spells.

const length = (codePoint) => (codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4);

/** Joins findings `{ offset, codePoint, class }` of one class that follow each other into `{ offset, codePoints }`. */
export function runs(found) {
  const all = [];
  let end = -1;
  for (const { offset, codePoint } of found) {
    if (offset === end) all.at(-1).codePoints.push(codePoint);
    else all.push({ offset, codePoints: [codePoint] });
    end = offset + length(codePoint);
  }
  return all;
}

/** Returns bytes as text if they look like some, else ''. */
function text(bytes) {
  if (bytes.some((byte) => !(byte >= 0 && byte < 256))) return '';
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
    return decoded.length > 1 && !/(?![\t\n\r])\p{Cc}/u.test(decoded) ? decoded : '';
  } catch {
    return '';
  }
}

/** Returns the text that tags, variation selectors, or two characters as bits encode, else ''. */
export function spelled(codePoints) {
  const selector = (c) => (c >= 0xfe00 && c <= 0xfe0f ? c - 0xfe00 : c >= 0xe0100 && c <= 0xe01ef ? c - 0xe0100 + 16 : -1);
  const halves = codePoints.map((c) => (c >= 0xfe00 && c <= 0xfe0f ? c - 0xfe00 : -1));
  const pairs = halves.length % 2 || halves.includes(-1) ? [-1] : halves.flatMap((half, i) => (i % 2 ? [halves[i - 1] * 16 + half] : []));
  const [zero] = codePoints;
  const bits = (width, one) => codePoints.flatMap((_, i) => (i % width ? [] : [codePoints.slice(i, i + width).reduce((byte, c) => byte * 2 + (c === one), 0)]));
  const isBits = new Set(codePoints).size === 2;
  return text(codePoints.filter((c) => c !== 0xe0001 && c !== 0xe007f).map((c) => c - 0xe0000)) || text(codePoints.map(selector))
    || text(codePoints.map((c) => c - 0xe0100)) || text(pairs)
    || [8, 7].filter((width) => isBits && codePoints.length % width === 0)
      .flatMap((width) => [zero, codePoints.find((c) => c !== zero)].map((one) => text(bits(width, one)))).find((found) => found) || '';
}
