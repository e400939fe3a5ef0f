// Where a piece of a file may end.

/** Returns where bytes can be cut without dividing a sequence or a pair of surrogates of any dialect. */
export function dialectCut(bytes) {
  const last = bytes.findLastIndex((byte) => byte >> 6 !== 2);
  // Before the second half of a pair, there is the first.
  const isPair = bytes[last - 3] === 0xed && bytes[last - 2] >> 4 === 0xa;
  const at = isPair ? last - 3 : last;
  return at > 0 ? at : bytes.length;
}
