// What the page says first, in a headline and a sentence. The headline is the worst of what is known.
import { shortName } from './hidden.js';
import { codePointName, grouped, plural } from './text.js';

/** The first hidden or harmful character, and how many there are. */
function sentenceOnHidden({ total, isMore, found: [first] }) {
  const count = `${isMore ? 'at least ' : ''}${plural(total, 'character')} ${total === 1 ? 'does' : 'do'} not show, or ${total === 1 ? 'changes' : 'change'} what you see`;
  return `Every byte is well-formed, but ${count}. The first is ${`${shortName(first.codePoint)} ${codePointName(first.codePoint)}`.trim()} at byte ${grouped(first.offset)}: ${first.reason}.`;
}

/** A sentence on what bytes are that are not UTF-8. */
function sentenceOnInvalid([first, ...others], { byLength, errors }) {
  switch (first.is) {
    // What is ASCII but for a few bytes is not more UTF-8 than anything else.
    case 'damaged': return byLength.slice(1).some((n) => n > 0) || errors.some(({ length }) => length > 1) ? `It is ${first.name}.` : `It may be ${first.name}, or text in an older encoding: the rest does not tell.`;
    case 'lines': return `It is probably ${first.name}.`;
    case 'dialect': return `It is ${first.name}, a relative of UTF-8 that most programs refuse.`;
    case 'overlong': return 'It spells characters in more bytes than they need, as attackers do to slip past a filter.';
    case 'binary': return 'It is probably not text.';
    default: return others.length ? `It is probably text in an older encoding: ${[first, ...others].map(({ name }) => name).join(', ').replace(/, ([^,]*)$/, ' or $1')}.` : `It is probably ${first.name}, another encoding.`;
  }
}

/**
 * @returns {{state: 'bad' | 'warn' | 'good', headline: string, sentence: string}}
 */
export function verdict({ summary, guesses, hidden }) {
  if (summary.bytes === 0) return { state: 'good', headline: 'Empty', sentence: 'There are no bytes here. An empty text is valid UTF-8.' };
  if (summary.errorCount > 0) return { state: 'bad', headline: 'Not UTF-8', sentence: sentenceOnInvalid(guesses, summary) };
  const [{ is, name }] = guesses;
  if (is === 'wide' || is === 'encoding') return { state: 'warn', headline: `Valid, but probably ${name}`, sentence: `Every byte is well-formed UTF-8, but the text makes sense only as ${name}.` };
  if (is === 'mojibake') return { state: 'warn', headline: 'Valid, but it looks garbled', sentence: 'Every byte is well-formed, but the text seems to have been read in the wrong encoding once, and saved again.' };
  if (hidden.total > 0) return { state: 'warn', headline: 'Valid, but it hides something', sentence: sentenceOnHidden(hidden) };
  if (is === 'ascii') return { state: 'good', headline: 'Valid UTF-8', sentence: 'It is plain ASCII, which is the same in UTF-8 and in nearly every other encoding.' };
  return { state: 'good', headline: 'Valid UTF-8', sentence: 'Every byte is part of a well-formed character, and none of them hides.' };
}
