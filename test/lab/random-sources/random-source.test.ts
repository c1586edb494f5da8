import { expect, test } from 'vitest';
import { audioCodecs, containers, videoCodecs } from '../../../lab/random-sources/description/containers.ts';
import { isAudio, isText, isVideo, mainVideo, type Source } from '../../../lab/random-sources/description/source.ts';
import { expectedDecisions } from '../../../lab/random-sources/expectation/expected-decisions.ts';
import { chosenTracks } from '../../../lab/random-sources/expectation/expected-times.ts';
import { sourceOf } from '../../../lab/random-sources/try-source.ts';
import { decisionCodes } from '../../../shared/protocol/decisions.ts';

const sources: Source[] = Array.from({ length: 500 }, (_, n) => sourceOf(1, n + 1));
const videos = sources.flatMap(({ tracks }) => tracks.filter(isVideo));
const audios = sources.flatMap(({ tracks }) => tracks.filter(isAudio));

test('a seed and a number always give the same source', () => {
  expect(sourceOf(7, 12)).toEqual(sourceOf(7, 12));
  expect(sourceOf(7, 12)).not.toEqual(sourceOf(8, 12));
});

test('500 sources have every container, codec, cadence and role', () => {
  const found = (values: readonly unknown[]): number => new Set(values).size;
  expect(found(sources.map(({ container }) => container))).toBe(Object.keys(containers).length);
  expect(found(videos.map(({ codec }) => codec))).toBe(Object.keys(videoCodecs).length);
  expect(found(audios.map(({ codec }) => codec))).toBe(Object.keys(audioCodecs).length);
  expect(found(videos.map(({ cadence }) => cadence))).toBe(6);
  expect(found(videos.map(({ role }) => role))).toBe(5);
  expect(found(videos.map(({ turn }) => turn))).toBe(4);
  expect(found(videos.map(({ colours }) => colours))).toBe(7);
  expect(found(audios.map(({ role }) => role))).toBe(5);
  expect(sources.some((source) => !mainVideo(source))).toBe(true);
  expect(sources.some(({ tracks }) => !tracks.some(isAudio))).toBe(true);
  expect(sources.some(({ tracks }) => tracks.some(isText))).toBe(true);
});

/** No source has a smaller visible part, and the template asks for no level and no change of the picture. */
const impossible: readonly string[] = ['picture_cropped', 'level_raised', 'picture_unchanged'];

test('some sources need no decision, and others need each one that is possible', () => {
  const needed = sources.map((source) => expectedDecisions(source));
  expect(needed.filter(({ allowed }) => allowed.size === 0).length).toBeGreaterThan(25);
  const codes = new Set(needed.flatMap(({ allowed }) => [...allowed]));
  expect([...codes].toSorted()).toEqual(decisionCodes.filter((code) => !impossible.includes(code)).toSorted());
});

test('the presentation of every source starts at second 0 and has something to check', () => {
  for (const source of sources) {
    const tracks = chosenTracks(source);
    expect(tracks.length).toBeGreaterThan(0);
    expect(Math.min(...tracks.map(({ startSeconds }) => startSeconds))).toBe(0);
  }
});

test('the numbers in the pictures fit into ten bars, and other tracks show numbers of their own', () => {
  for (const { role, numbers, firstNumber } of videos) {
    expect(firstNumber).toBe(role === 'main' ? 0 : 512);
    expect(numbers.at(-1)).toBeLessThan(512);
  }
});
