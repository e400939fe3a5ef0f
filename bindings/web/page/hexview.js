// The bytes of a file around a place, and their characters beside them. Only a window of the file is in memory.
import { explain } from './trust8/file.js';
import { element, hex } from './text.js';
import { hidden, isSpace } from './hidden.js';

const ROWS = 24;
const narrow = matchMedia('(max-width: 640px)');

/** Returns what represents a character in the text column. */
function glyphOf({ codePoint }) {
  if (codePoint === null) return '\ufffd';
  const known = hidden(codePoint);
  if (known) return `⟨${known.name}⟩`;
  return codePoint === 10 ? '⏎' : codePoint === 13 ? '␍' : codePoint === 9 ? '⇥' : codePoint === 32 ? '·' : isSpace(codePoint) ? '␣' : String.fromCodePoint(codePoint);
}

export class HexView {
  #root;
  #onSelect;
  #blob = new Blob();
  #start = 0;
  #bytes = new Uint8Array();
  #sequences = [];
  #selected = 0;
  /** The last move. */
  #queue = Promise.resolve();

  constructor(root, onSelect) {
    this.#root = root;
    this.#onSelect = onSelect;
    root.addEventListener('click', (event) => {
      const index = event.target.closest('[data-i]')?.dataset.i;
      if (index !== undefined) this.#select(Number(index));
    });
    root.addEventListener('keydown', (event) => this.#key(event));
    narrow.addEventListener('change', () => this.goTo(this.offset));
  }

  get width() {
    return narrow.matches ? 8 : 16;
  }
  /** Where the selected character begins. */
  get offset() {
    return this.#sequences[this.#selected]?.offset ?? 0;
  }
  /** Where the selected character ends. */
  get end() {
    return this.offset + (this.#sequences[this.#selected]?.length ?? 1);
  }
  get windowRange() {
    return [this.#start, this.#start + this.#bytes.length];
  }

  open(blob, offset = 0) {
    this.#blob = blob;
    return this.goTo(offset, true);
  }

  /** Selects the character that contains a byte, and loads the window around it if need be. */
  goTo(offset, reload = false) {
    return this.#enqueue(() => this.#goTo(offset, reload));
  }

  /** What has been asked before has to be done first, or to fail. */
  #enqueue(move) {
    this.#queue = this.#queue.catch(() => {}).then(move);
    return this.#queue;
  }

  async #goTo(wanted, reload) {
    const offset = Math.max(0, Math.min(wanted, this.#blob.size - 1));
    const size = ROWS * this.width;
    const end = this.#start + size;
    if (reload || offset < this.#start || offset >= end || this.#start % this.width) {
      // Forward and backward, a quarter of the window stays before the place.
      const row = Math.floor(offset / this.width) - ROWS / 4;
      const most = Math.ceil(this.#blob.size / this.width) - ROWS;
      await this.#load(Math.max(0, Math.min(row, most)) * this.width, size);
    }
    const index = this.#sequences.findIndex((it) => offset < it.offset + it.length);
    this.#select(index < 0 ? this.#sequences.length - 1 : index);
  }

  /** Reads the window, and a few bytes on each side, so that a character at its edge is whole, and a mistake as the command sees it. */
  async #load(start, size) {
    const before = Math.min(3, start);
    const bytes = new Uint8Array(await this.#blob.slice(start - before, start + size + 6).arrayBuffer());
    this.#start = start;
    // A sequence begins at every byte that is no continuation; with none in three bytes, one begins at the window.
    let first = before;
    while (first > 0 && bytes[first] >> 6 === 2) first--;
    if (bytes[first] >> 6 === 2) first = before;
    const base = start - before;
    this.#sequences = explain(bytes.subarray(first))
      .map((it) => ({ ...it, offset: it.offset + base + first, bytes: bytes.subarray(first + it.offset, first + it.offset + it.length), following: bytes.subarray(first + it.offset, first + it.offset + 6) }))
      .filter((it) => it.offset + it.length > start && it.offset < start + size);
    this.#bytes = bytes.subarray(before, before + size);
    this.#render();
  }

  #render() {
    const [start, end] = this.windowRange;
    const digits = Math.max(4, (this.#blob.size - 1).toString(16).length);
    const rows = [];
    for (let at = start; at < end; at += this.width) {
      const row = { bytes: element('span', { class: 'bytes' }), text: element('span', { class: 'text' }) };
      rows.push(row);
      row.element = element('div', { class: 'row' }, element('span', { class: 'offset' }, hex(at, digits)), row.bytes, row.text);
    }
    this.#sequences.forEach((it, i) => {
      const known = it.codePoint === null ? null : hidden(it.codePoint);
      const extra = known ? ' hid' : '';
      for (let j = 0; j < it.length; j++) {
        const at = it.offset + j;
        if (at < start || at >= end) continue;
        const role = it.kind ? 'bad' : it.length === 1 ? 'ascii' : j === 0 ? 'lead' : 'cont';
        const ends = `${j === 0 ? ' first' : ''}${j === it.length - 1 ? ' last' : ''}`;
        rows[Math.floor((at - start) / this.width)].bytes.append(element('span', { class: `b ${role}${ends}${extra}`, 'data-i': i }, hex(it.bytes[j])));
      }
      const row = rows[Math.max(0, Math.floor((it.offset - start) / this.width))];
      row.text.append(element('bdi', { class: `c${it.kind ? ' bad' : it.length > 1 ? ' far' : ''}${extra}`, 'data-i': i }, glyphOf(it)));
    });
    this.#root.replaceChildren(...rows.map((row) => row.element));
  }

  #select(index) {
    for (const old of this.#root.querySelectorAll('.selected')) old.classList.remove('selected');
    this.#selected = index;
    const marked = this.#root.querySelectorAll(`[data-i="${index}"]`);
    for (const it of marked) it.classList.add('selected');
    const [box, byte] = [this.#root.getBoundingClientRect(), marked[0]?.getBoundingClientRect()];
    if (byte && (byte.top < box.top || byte.bottom > box.bottom)) this.#root.scrollTop += byte.top - box.top - box.height / 3;
    if (this.#sequences[index]) this.#onSelect(this.#sequences[index]);
  }

  #key(event) {
    const page = ROWS * this.width;
    const moves = {
      ArrowLeft: () => this.offset - 1, ArrowRight: () => this.end, ArrowUp: () => this.offset - this.width,
      ArrowDown: () => this.offset + this.width, PageUp: () => this.offset - page, PageDown: () => this.offset + page,
      Home: () => 0, End: () => this.#blob.size - 1,
    };
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.#enqueue(() => this.#goTo(move(), false));
  }
}
