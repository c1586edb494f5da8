import { describe, expect, test } from 'vitest';
import { reasonOf } from '../../../client/failure-reasons.ts';
import { codeTextsDe } from '../../../client/texts/code-texts-de.ts';
import { codeTextsEn } from '../../../client/texts/code-texts-en.ts';
import {
  decisionText,
  failureText,
  fieldErrorLines,
  fieldErrorTexts,
  presetWithTexts,
} from '../../../client/texts/describe-codes.ts';
import { fieldErrorCodes } from '../../../functions/common/field-errors.ts';
import { videoTransitions } from '../../../functions/contracts/statuses.ts';
import { presets } from '../../../functions/templates/presets.ts';
import { type Decision, decisionCodes } from '../../../shared/protocol/decisions.ts';
import { jobErrorCodes } from '../../../shared/protocol/job-errors.ts';

const languages = [
  ['English', codeTextsEn],
  ['German', codeTextsDe],
] as const;

/** Facts as the service sends them, of each code. */
const facts: Record<(typeof decisionCodes)[number], Decision['facts'][]> = {
  video_track_chosen: [{ stream: 1, streams: [0, 2], reason: 'size' }],
  video_track_left_out: [{ streams: [3], reason: 'auxiliary' }],
  audio_track_chosen: [
    { stream: 2, reason: 'role' },
    { stream: 1, reason: 'order' },
  ],
  audio_track_left_out: [{ streams: [4, 5] }, { tracks: 12 }],
  audio_tracks_joined: [{ streams: [1, 2], channels: 2 }],
  program_chosen: [{ program: 1, programs: [1, 2], streams_left_out: [3] }],
  text_track_left_out: [{ streams: [7], reason: 'telemetry' }],
  frame_rate_chosen: [{ fps: 30, average_fps: 24.613 }],
  frame_rate_capped: [{ fps: 29.97, source_fps: 59.94, limit_fps: 30, streams: ['720p'] }],
  track_extended: [
    { track: 'audio', streams: [1], side: 'end', seconds: 1.5 },
    { track: 'video', streams: [0], side: 'start', seconds: 3 },
  ],
  level_raised: [{ stream: '1080p', level: '4.2', asked: '4.0' }],
  frame_size_chosen: [{ size: '1280 × 720', sizes: ['1280 × 720', '640 × 360'], shares: [0.7, 0.3] }],
  picture_cropped: [{ left: 0, right: 16, top: 2, bottom: 0 }],
  picture_unchanged: [{ projection: 'equirectangular' }],
  transparency_composited: [{ background: '#000000' }],
  color_assumed: [{ primaries: 'bt709', matrix: 'bt709' }],
};
const decisions = decisionCodes.flatMap((code) => facts[code].map((one) => ({ code, message: '', facts: one })));

describe.each(languages)('in %s', (_, texts) => {
  test('every reason of a failure, status of a video and preset has a text', () => {
    expect(Object.keys(texts.failures).toSorted()).toEqual(jobErrorCodes.toSorted());
    expect(Object.keys(texts.statuses)).toEqual(expect.arrayContaining(Object.keys(videoTransitions)));
    expect(Object.keys(texts.presets).toSorted()).toEqual(presets.map(({ slug }) => slug).toSorted());
    const all = [texts.failures, texts.statuses].flatMap((group) => Object.values(group));
    expect(all.filter((one) => one.trim() === '')).toEqual([]);
  });

  test('every error of a field has a text, with the limit', () => {
    expect(Object.keys(texts.fields).toSorted()).toEqual(fieldErrorCodes.toSorted());
    for (const code of fieldErrorCodes) expect(texts.fields[code]('7'), code).toMatch(/^[A-ZÄÖÜ].{10,}[.]$/);
    for (const code of ['too_short', 'too_long', 'too_few', 'too_many', 'too_small', 'too_large'] as const) {
      expect(texts.fields[code]('7'), code).toContain('7');
    }
  });

  test('every decision has a sentence with its facts', () => {
    expect(Object.keys(texts.decisions).toSorted()).toEqual(decisionCodes.toSorted());
    for (const decision of decisions) {
      expect(decisionText(texts, decision), decision.code).toMatch(/^[A-ZÄÖÜ0-9].{20,}\.$/);
      expect(decisionText(texts, decision), decision.code).not.toMatch(/undefined|NaN|\[object/);
    }
  });

  test('a code or fact of another version of the service has the text of the service', () => {
    const message = 'Text of the service.';
    expect(decisionText(texts, { code: 'later' as 'level_raised', message, facts: {} })).toBe(message);
    expect(decisionText(texts, { code: 'level_raised', message, facts: {} })).toBe(message);
    expect(
      decisionText(texts, { code: 'video_track_left_out', message, facts: { streams: [1], reason: 'later' } }),
    ).toBe(message);
    expect(failureText(texts, `LATER: ${message}`)).toBe(message);
    expect(failureText(texts, message)).toBe(message);
    expect(failureText(texts, reasonOf({ streams: [], outputs: [] }))).toBe(texts.noReason);
    const later = { slug: 'later', name: 'Later', description: message };
    expect(presetWithTexts(texts, later)).toEqual(later);
  });
});

test('no text of a code is the same in both languages', () => {
  const sentences = languages.map(([, texts]) => [
    ...Object.values(texts.failures),
    ...Object.values(texts.fields).map((textOf) => textOf('')),
    ...decisions.map((decision) => decisionText(texts, decision)),
    ...Object.values(texts.presets).flatMap(({ name, description }) => [name, description]),
  ]);
  expect(sentences[0]!.filter((sentence, index) => sentence === sentences[1]![index])).toEqual([]);
});

test('errors of fields are worded by their codes, and by the service where a code says nothing more', () => {
  const error = {
    errors: { at_seconds: ['Too late.'], query: ['Choose another name.', 'Later.'], name: ['Of an earlier service.'] },
    codes: {
      at_seconds: [{ code: 'too_large', limit: 4.5 }],
      query: [{ code: 'invalid' }, { code: 'later' as 'invalid' }],
    },
  } as const;
  expect(fieldErrorTexts(codeTextsEn, error, 'en')).toEqual({
    at_seconds: ['Enter 4.5 or less.'],
    query: ['Choose another name.', 'Later.'],
    name: ['Of an earlier service.'],
  });
  expect(fieldErrorLines(codeTextsEn, error, 'en')).toEqual([
    'at_seconds: Enter 4.5 or less.',
    'Choose another name.',
    'Later.',
    'Of an earlier service.',
  ]);
  expect(fieldErrorTexts(codeTextsDe, error, 'de')).toMatchObject({
    at_seconds: ['Geben Sie 4,5 oder weniger ein.'],
    query: ['Der Dienst nimmt das nicht an: „Choose another name.“', expect.stringContaining('„Later.“')],
  });
});

test('numbers are written as in the language', () => {
  const decision = decisions.find(({ code }) => code === 'frame_rate_chosen')!;
  expect(decisionText(codeTextsEn, decision)).toContain('24.613 on average');
  expect(decisionText(codeTextsDe, decision)).toContain('im Mittel 24,613');
});

test('a preset has the name in English that the service gives to its templates', () => {
  for (const preset of presets) expect(presetWithTexts(codeTextsEn, preset).name).toBe(preset.name);
});
