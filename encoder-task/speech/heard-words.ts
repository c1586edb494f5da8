import type { Word } from '../../shared/protocol/jobs.ts';
import type { SpeechWindow } from './speech-windows.ts';

/**
 * The words of what the engine has heard in a window, on the clock of the part. Texts in brackets, notes and what the
 * engine makes up where nobody speaks are left out. `tokens` have times from the start of the window.
 */
export function heardWords(tokens: readonly Word[], window: SpeechWindow): Word[] {
  const offsetMs = window.from * 1000;
  const words = withoutRepeats(withoutSounds(joined(tokens)))
    .map(({ text, startMs, endMs }) => ({
      text,
      startMs: Math.round(startMs + offsetMs),
      endMs: Math.round(Math.max(endMs, startMs + 20) + offsetMs),
    }))
    .filter((word) => isSpoken(word, window))
    .map((word) => withoutPause(word, window));
  return isPlausible(words, window) ? words : [];
}

/** Tokens are parts of words; one that begins a word has a space before it. Punctuation belongs to the word before. */
function joined(tokens: readonly Word[]): Word[] {
  const words: Word[] = [];
  for (const { text, startMs, endMs } of tokens) {
    if (text.trim() === '' || /^\s*\[_.*\]$|^<\|.*\|>$/.test(text)) continue;
    const last = words.at(-1);
    const isPunctuation = /^[\p{P}\p{S}]+$/u.test(text) && !opens.test(text) && !/^[♪♫*]/u.test(text);
    const continues = !text.startsWith(' ') && (isPunctuation || !isSpaceless(text, last?.text));
    if (last && continues) {
      last.text += text;
      // The engine gives punctuation the time until the next word.
      if (!isPunctuation) last.endMs = Math.max(last.endMs, endMs);
    } else words.push({ text, startMs, endMs });
  }
  return words;
}

/** Chinese, Japanese, Thai, Lao, Khmer and Burmese have no spaces between words. */
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const isSpaceless = (text: string, before = ''): boolean => spaceless.test(text) || spaceless.test(before);

const opens = /^\s*[[(（【]/;
const closes = /[\])）】]\W*$/;
const notes = /[♪♫♬🎵🎶]/u;
/** A bracket that is not closed within so many words is part of what is said. */
const longestRemark = 15;

/** Without remarks such as `[Music]` and `(applause)`, and without songs, which have notes around them. */
function withoutSounds(words: readonly Word[]): Word[] {
  const kept: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const { text } = words[at]!;
    if (notes.test(text)) {
      const end = words.findIndex((word, index) => index > at && notes.test(word.text));
      at = end < 0 ? words.length : end;
    } else if (opens.test(text)) {
      const end = words.slice(at, at + longestRemark).findIndex((word) => closes.test(word.text));
      if (end >= 0) at += end;
      else kept.push(words[at]!);
    } else if (/^\s*\*[^*]*\*\W*$/.test(text)) continue;
    else kept.push(words[at]!);
  }
  return kept;
}

const longestPhrase = 12;
/** People say something twice or three times. */
const mostRepeats = 3;

/** An engine that loops repeats a phrase until the window is full: one of them is left. */
function withoutRepeats(words: readonly Word[]): Word[] {
  const plain = words.map(({ text }) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ''));
  const kept: Word[] = [];
  for (let at = 0; at < words.length; ) {
    const loop = loopAt(plain, at);
    kept.push(...words.slice(at, at + (loop?.phrase ?? 1)));
    at += loop?.length ?? 1;
  }
  return kept;
}

function loopAt(plain: readonly string[], at: number): { phrase: number; length: number } | undefined {
  for (let phrase = 1; phrase <= longestPhrase; phrase++) {
    let length = phrase;
    while (at + length < plain.length && plain[at + length] === plain[at + (length % phrase)]) length++;
    if (length >= phrase * (mostRepeats + 1) + (phrase === 1 ? 2 : 0)) return { phrase, length };
  }
  return undefined;
}

/** Words of a pause are made up. The engine's times are right within some tenths of a second. */
const toleranceMs = 400;

const isSpoken = ({ startMs, endMs }: Word, { stretches }: SpeechWindow): boolean =>
  stretches.some(({ from, to }) => startMs < to * 1000 + toleranceMs && endMs > from * 1000 - toleranceMs);

/** A word that begins in the pause before its sound, as the engine often says of the first, begins with the sound. */
function withoutPause(word: Word, { stretches }: SpeechWindow): Word {
  const next = stretches.find(({ to }) => word.startMs < to * 1000);
  const fromMs = Math.round((next?.from ?? 0) * 1000);
  return word.startMs < fromMs && word.endMs > fromMs ? { ...word, startMs: Math.min(fromMs, word.endMs - 20) } : word;
}

/** Slow speakers say one word in a second. Of music and noise, the engine makes a few words such as `Thank you.` */
const fewestWordsPerSecond = 0.35;
const fewestCharactersPerSecond = 2;
const shortSeconds = 3;

/** What Whisper has learnt from the ends of videos, and makes of noise: credits and thanks, as all of a window. */
const madeUp: ReadonlySet<string> = new Set(
  [
    'Thanks for watching',
    'Thank you for watching',
    'Subtitles by the Amara.org community',
    'ご視聴ありがとうございました',
    'Untertitel der Amara.org-Community',
    'Untertitelung des ZDF für funk, 2017',
    "Sous-titres réalisés par la communauté d'Amara.org",
    'Subtítulos realizados por la comunidad de Amara.org',
    'Sottotitoli creati dalla comunità Amara.org',
    'Legendas pela comunidade Amara.org',
    'Продолжение следует',
    '시청해주셔서 감사합니다',
    '字幕由Amara.org社区提供',
  ].map(lettersOf),
);

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

function isPlausible(words: readonly Word[], { stretches }: SpeechWindow): boolean {
  if (madeUp.has(lettersOf(words.map(({ text }) => text).join('')))) return false;
  const seconds = stretches.reduce((sum, { from, to }) => sum + to - from, 0);
  if (seconds < shortSeconds) return true;
  const characters = words.reduce((sum, { text }) => sum + text.trim().length, 0);
  return words.length / seconds >= fewestWordsPerSecond && characters / seconds >= fewestCharactersPerSecond;
}
