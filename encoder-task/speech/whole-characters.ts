import type { Word } from '../../shared/protocol/jobs.ts';

const broken = '\ufffd';

/**
 * Tokens with whole characters. The engine divides text into tokens of bytes, so that a character such as an emoji can
 * be in several, of which each is broken. `text` is that of all tokens together, in which it is whole. Tokens that
 * share a character become one.
 */
export function withWholeCharacters(tokens: readonly Word[], text: string): Word[] {
  const whole: Word[] = [];
  let at = 0;
  let parts: Word[] = [];
  for (const token of tokens) {
    if (token.text.includes(broken)) {
      parts.push(token);
      continue;
    }
    // Broken tokens have a character at least.
    const start = text.indexOf(token.text, parts.length > 0 ? at + 1 : at);
    if (start >= 0) {
      whole.push(...joined(parts, text.slice(at, start)));
      at = start + token.text.length;
      parts = [];
    }
    whole.push(token);
  }
  return [...whole, ...joined(parts, text.slice(at))];
}

function joined(parts: readonly Word[], text: string): Word[] {
  const [first, last] = [parts[0], parts.at(-1)];
  const plain = text.replaceAll(broken, '');
  return first && last && plain !== '' ? [{ text: plain, startMs: first.startMs, endMs: last.endMs }] : [];
}
