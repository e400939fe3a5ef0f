// Characters that a reader does not see, or that change what a reader sees. This table is the page's own. `hidden` is the only
// export, so a profile of the library can take its place.

/** First, last, group, and name; '' if the code point has to do. @type {[number, number, string, string][]} */
const TABLE = [
  [0x00, 0x08, 'control', ''], [0x0b, 0x0c, 'control', ''], [0x0e, 0x1f, 'control', ''], [0x7f, 0x9f, 'control', ''],
  [0xa0, 0xa0, 'space', 'NBSP'], [0xad, 0xad, 'invisible', 'SHY'], [0x034f, 0x034f, 'invisible', 'CGJ'],
  [0x061c, 0x061c, 'bidi', 'ALM'], [0x115f, 0x1160, 'invisible', 'FILLER'], [0x17b4, 0x17b5, 'invisible', ''],
  [0x180b, 0x180f, 'invisible', ''], [0x2000, 0x200a, 'space', ''], [0x200b, 0x200b, 'invisible', 'ZWSP'],
  [0x200c, 0x200c, 'invisible', 'ZWNJ'], [0x200d, 0x200d, 'invisible', 'ZWJ'], [0x200e, 0x200e, 'bidi', 'LRM'],
  [0x200f, 0x200f, 'bidi', 'RLM'], [0x2028, 0x2028, 'control', 'LS'], [0x2029, 0x2029, 'control', 'PS'],
  [0x202a, 0x202a, 'bidi', 'LRE'], [0x202b, 0x202b, 'bidi', 'RLE'], [0x202c, 0x202c, 'bidi', 'PDF'],
  [0x202d, 0x202d, 'bidi', 'LRO'], [0x202e, 0x202e, 'bidi', 'RLO'], [0x202f, 0x202f, 'space', 'NNBSP'],
  [0x205f, 0x205f, 'space', ''], [0x2060, 0x2064, 'invisible', ''], [0x2066, 0x2066, 'bidi', 'LRI'],
  [0x2067, 0x2067, 'bidi', 'RLI'], [0x2068, 0x2068, 'bidi', 'FSI'], [0x2069, 0x2069, 'bidi', 'PDI'],
  [0x206a, 0x206f, 'invisible', ''], [0x2800, 0x2800, 'space', ''], [0x3000, 0x3000, 'space', 'IDSP'],
  [0x3164, 0x3164, 'invisible', 'FILLER'], [0xe000, 0xf8ff, 'private', ''], [0xfe00, 0xfe0f, 'invisible', 'VS'],
  [0xfeff, 0xfeff, 'invisible', 'BOM'], [0xffa0, 0xffa0, 'invisible', 'FILLER'], [0xfff9, 0xfffb, 'invisible', ''],
  [0xe0000, 0xe0fff, 'invisible', 'TAG'], [0xf0000, 0x10ffff, 'private', ''],
];

/** Returns the group and the name of a character that does not show, or `null`. */
export function hidden(codePoint) {
  // Most characters are above the controls and below the no-break space.
  if (codePoint > 0x1f && codePoint < 0x7f) return null;
  let [low, high] = [0, TABLE.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last, group, name] = TABLE[middle];
    if (codePoint < first) high = middle - 1;
    else if (codePoint > last) low = middle + 1;
    else return { group, name: name || codePoint.toString(16).toUpperCase().padStart(2, '0') };
  }
  return null;
}
