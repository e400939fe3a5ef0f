/**
 * Bytes in any of the platform's containers; a Node `Buffer` is a `Uint8Array`. Every function throws a `TypeError` for anything else. Shared bytes
 * are copied before they are judged, except by `isUtf8` in Node and Bun: its answer is about bytes that another thread may change at any time.
 */
export type Bytes = ArrayBufferView | ArrayBufferLike;

/** The rule of RFC 3629 that a sequence of bytes breaks. */
export type ErrorKind =
  | 'unexpected-continuation' | 'invalid-byte' | 'overlong' | 'surrogate' | 'too-large' | 'truncated' | 'incomplete';

export interface Utf8ErrorInfo {
  /** Where the ill-formed sequence begins: the number of valid bytes before it. */
  readonly offset: number;
  readonly kind: ErrorKind;
  /** The length of the sequence, 1 to 3 bytes. One U+FFFD replaces it. */
  readonly length: number;
  /** The bytes that prove the error: the sequence, and the byte after it if that byte decides. */
  readonly bytes: Uint8Array;
}

/** The first place at which bytes are not UTF-8. The message says where and why. */
export class Utf8Error extends TypeError implements Utf8ErrorInfo {
  constructor(info: Utf8ErrorInfo);
  readonly offset: number;
  readonly kind: ErrorKind;
  readonly length: number;
  readonly bytes: Uint8Array;
  /** The message without the place. */
  readonly reason: string;
}

/** Returns whether `bytes` are UTF-8. */
export function isUtf8(bytes: Bytes): boolean;

/** Returns the first error, or `null` if `bytes` are UTF-8. */
export function validate(bytes: Bytes): Utf8Error | null;

/** Returns why `bytes` are not UTF-8, in a sentence, or '' if they are. */
export function reason(bytes: Bytes): string;

/** Returns the error that `bytes` begin with, in the words of the command `trust8`, or '' for none. Pass six bytes from an error on. */
export function culprit(bytes: Bytes): string;

export type Sequence =
  | { readonly offset: number; readonly length: number; readonly codePoint: number; readonly kind: null }
  | { readonly offset: number; readonly length: number; readonly codePoint: null; readonly kind: ErrorKind };

/** Returns every character and every ill-formed sequence of `bytes`, in order. */
export function explain(bytes: Bytes): Sequence[];

export interface Forbidden {
  readonly offset: number;
  readonly codePoint: number;
  /** The name of the character's class, such as `bidi-control`. */
  readonly class: string;
  /** What the character is and why to forbid it, as the end of a sentence. */
  readonly reason: string;
}

/** Returns the class of a character that some profile forbids, or `null`. @throws {TypeError} for anything but an integer, such as a string. */
export function classOf(codePoint: number): { readonly name: string; readonly reason: string } | null;

/** Finds the characters of at most 4 MiB that a profile forbids: how many, and the first 65,536. Ill-formed sequences are skipped. */
export function forbidden(profile: string, bytes: Bytes): { readonly total: number; readonly found: readonly Forbidden[] };

/** Such characters that follow each other. `codePoint`, `class` and `reason` are those of the first. */
export interface ForbiddenRun extends Forbidden {
  /** The length in bytes. */
  readonly length: number;
  /** How many characters there are. */
  readonly count: number;
}

/** Does the same with each run as one, and returns the first 32,768: 400 variation selectors in a row are one finding. */
export function forbiddenRuns(profile: string, bytes: Bytes): { readonly total: number; readonly found: readonly ForbiddenRun[] };

/** Validates UTF-8 in pieces, which may be cut anywhere. */
export class Validator {
  /** @throws {Utf8Error} as soon as a byte makes an error certain, and for every later piece. */
  push(piece: Bytes): void;
  /** @throws {Utf8Error} if the input ends inside a character. */
  finish(): void;
  /** Forgets everything, including an error. */
  reset(): void;
}

/** Passes chunks of bytes through, and fails with a `Utf8Error` at the first chunk that makes an error certain. */
export class ValidationStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor();
}

/** What a decoder does with an ill-formed sequence: throws its error, or puts U+FFFD, nothing, `\xHH`, windows-1252's characters for its bytes, or U+FFFD as the JDK does: one for a whole surrogate. */
export type Invalid = 'throw' | 'replace' | 'drop' | 'escape' | 'windows-1252' | 'java';

export interface DecoderOptions {
  /** The default is `throw`. */
  readonly invalid?: Invalid;
  /** As in `TextDecoder`: whether a byte order mark at the start stays in the text. The default is `false`. */
  readonly ignoreBOM?: boolean;
}

/** Decodes UTF-8 in pieces, which may be cut anywhere. */
export class Decoder {
  constructor(options?: DecoderOptions);
  /**
   * Returns the text of this piece, up to a character that the next piece completes.
   * @throws {Utf8Error} with `throw`, as soon as a byte makes an error certain, and for every later piece.
   */
  push(piece: Bytes): string;
  /**
   * Ends the input, and returns what replaces a character that it cuts off. The decoder is then ready for another input, also after an error.
   * @throws {Utf8Error} with `throw`, if the input ends inside a character.
   */
  finish(): string;
  /** How many ill-formed sequences there were in all inputs: three in a surrogate, for which `java` writes one U+FFFD. It remains 0 with `throw`. */
  readonly replaced: number;
}

/** Decodes chunks of bytes. With `throw`, it fails with a `Utf8Error`. */
export class DecoderStream extends TransformStream<Bytes, string> {
  constructor(options?: DecoderOptions);
  readonly replaced: number;
}

/**
 * Runs the `WebAssembly.Module`, which is `trust8/trust8.wasm` or `trust8/trust8-scalar.wasm`, unless one runs already. Returns whether it has SIMD.
 * Only those who import `trust8/core` have to call it, and before everything else.
 */
export function start(module: object): boolean;

/** Returns the names of the library's profiles, such as `xml` and `terminal`: sets of characters that a text must not have. */
export function profiles(): string[];

// The rest is for the page that explains bytes. It may change in any version.

/** The longest piece that the functions below take, in bytes. `repair` and `fromDialect` take a quarter of it. */
export const PIECE: number;

export interface Summary {
  readonly bytes: number;
  /** How many characters have one, two, three and four bytes. */
  readonly byLength: number[];
  readonly newlines: number;
  readonly errorCount: number;
  readonly kinds: Record<ErrorKind, number>;
  /** How many errors there are in each 512th of the input. */
  readonly bins: number[];
  /** The first 10,000 errors. */
  readonly errors: (Utf8ErrorInfo & { readonly line: number; readonly column: number })[];
}

/** Counts characters and finds all errors of an input of `size` bytes, in pieces, from the offset `from` on. */
export class Survey {
  constructor(size: number, from?: number);
  push(piece: Uint8Array, isLast: boolean): number;
  readonly summary: Summary;
}

/** `table` reads invalid bytes with the 128 given code points of the bytes 80 to FF, such as those of windows-1252. */
export function repair(
  policy: 'replace' | 'drop' | 'escape' | 'table' | 'java', piece: Uint8Array, isLast: boolean, codePoints?: ArrayLike<number>,
): { read: number; replaced: number; bytes: Uint8Array };
/** Returns what kind of binary file begins with these bytes, such as 'a PDF document', or '' for no known kind. */
export function binary(bytes: Bytes): string;
export function diagnose(piece: Uint8Array): { dialect: string | null; convertible: boolean; text: string };
export function fromDialect(dialect: string, piece: Uint8Array): Uint8Array;
export function memorySize(): number;
