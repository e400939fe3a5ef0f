/** Makes inputs of up to 300 bytes: text, and text with one to three bytes changed or cut off. The same in every run. */
export function inputs(count) {
  let seed = 8;
  const random = (n) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0, (seed >>> 8) % n);
  const lengths = [[0x20, 0x7f], [0x80, 0x800], [0x800, 0xd800], [0x10000, 0x110000]];
  return Array.from({ length: count }, () => {
    let text = '';
    const kinds = 1 + random(4);
    for (let n = random(80); n > 0; n--) {
      const [from, to] = lengths[random(kinds)];
      text += String.fromCodePoint(from + random(to - from));
    }
    const bytes = Array.from(new TextEncoder().encode(text));
    for (let n = random(4); n > 0 && bytes.length; n--) {
      const at = random(bytes.length);
      if (random(3)) bytes[at] = random(256);
      else bytes.splice(at, random(3));
    }
    return bytes;
  });
}
