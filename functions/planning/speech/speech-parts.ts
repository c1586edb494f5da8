import type { Word } from '../../../shared/protocol/jobs.ts';

/** Speech is transcribed in parts of this length: a worker that dies loses no more. */
const partSeconds = 300;

/** Parts overlap, so that every word is complete in one of them. */
const overlapSeconds = 5;

export const countParts = (durationSeconds: number): number => Math.max(1, Math.ceil(durationSeconds / partSeconds));

/** What the job of a part reads. */
export function rangeOfPart(index: number, durationSeconds: number): { fromSeconds: number; toSeconds: number } {
  return {
    fromSeconds: Math.max(0, index * partSeconds - overlapSeconds),
    toSeconds: Math.min(durationSeconds, (index + 1) * partSeconds + overlapSeconds),
  };
}

/**
 * The parts in which the language is detected: the first one, one in the middle and one near the end. Others are
 * transcribed when the language is known.
 */
export function partsToDetect(parts: number): number[] {
  return [...new Set([0, Math.floor(parts / 2), Math.floor((parts * 3) / 4)])];
}

/** A transcribed part. */
export type HeardPart = { index: number; language: string | null; words: readonly Word[] };

/** The language in which most is said. Undefined when nobody speaks. */
export function spokenLanguage(parts: readonly HeardPart[]): string | undefined {
  const letters = new Map<string, number>();
  for (const { language, words } of parts) {
    if (language === null) continue;
    const said = words.reduce((sum, { text }) => sum + text.length, 0);
    letters.set(language, (letters.get(language) ?? 0) + said);
  }
  return [...letters].filter(([, said]) => said > 0).toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

/**
 * The words of all parts in order, each once: between two parts, the longest pause near their border divides what both
 * have heard.
 */
export function joinHeard(parts: readonly HeardPart[]): Word[] {
  const sorted = parts.toSorted((a, b) => a.index - b.index);
  const borders = sorted.map(({ index, words }) => borderAfter((index + 1) * partSeconds * 1000, words));
  return sorted.flatMap(({ words }, position) => {
    const from = borders[position - 1] ?? 0;
    const to = position === sorted.length - 1 ? Number.POSITIVE_INFINITY : borders[position]!;
    return words.filter((word) => middle(word) >= from && middle(word) < to);
  });
}

const middle = ({ startMs, endMs }: Word): number => (startMs + endMs) / 2;

function borderAfter(nominalMs: number, words: readonly Word[]): number {
  const [first, last] = [nominalMs - overlapSeconds * 1000, nominalMs + overlapSeconds * 1000];
  const near = words.filter(({ startMs, endMs }) => endMs > first && startMs < last);
  const edges = [first, ...near.flatMap(({ startMs, endMs }) => [startMs, endMs]), last];
  let best = { pauseMs: -1, atMs: nominalMs };
  for (let at = 0; at < edges.length; at += 2) {
    const [from, to] = [Math.max(first, edges[at]!), Math.min(last, edges[at + 1]!)];
    if (to - from > best.pauseMs) best = { pauseMs: to - from, atMs: (from + to) / 2 };
  }
  return best.atMs;
}

/**
 * CPU seconds of a second of speech with the model `base` and whisper-cli, of which docs/captions.md has measurements.
 * Large models need up to twenty times as many.
 */
const cpuSecondsPerSecond = 0.4;

export const estimatedSpeechSeconds = (durationSeconds: number): number => 1 + cpuSecondsPerSecond * durationSeconds;

/** CPU seconds of all parts of a video. */
export function estimatedVideoSeconds(durationSeconds: number): number {
  const ranges = Array.from({ length: countParts(durationSeconds) }, (_, index) => rangeOfPart(index, durationSeconds));
  return ranges.reduce((sum, { fromSeconds, toSeconds }) => sum + estimatedSpeechSeconds(toSeconds - fromSeconds), 0);
}
