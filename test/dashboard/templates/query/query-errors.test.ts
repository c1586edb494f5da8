import { expect, test } from 'vitest';
import {
  errorsOfField,
  errorsOfRendition,
  otherErrors,
  queryErrors,
} from '../../../../dashboard/templates/query/query-errors.ts';

const errors = queryErrors({
  name: ['The name field is required.'],
  query: ['Make the query smaller.'],
  'query.video.0.bitrate': ['Give a bitrate.'],
  'query.video.1.height': ['Give a height.'],
  'query.video.1.crf': ['Give a crf.'],
  'query.video.0.preset': ['Choose one.'],
  'query.video.1.preset': ['Choose one.'],
  'query.ladder.codec': ['Choose a codec.'],
  'query.ladder.mode': ['Choose bitrate or quality.'],
  'query.copy': ['Choose off or auto.'],
  'query.outputs.0.segment_duration': ['Give a whole multiple of the gop.'],
  'query.outputs.1.audio': ['Name one audio stream.'],
  'query.audio.0': ['Remove "stereo".'],
  'query.thumbnails.poster.at': ['Give a position.'],
  'query.chunk_duration': ['Give a whole number.'],
});

test.each([
  ['videoCodec', ['Choose a codec.']],
  ['encoderPreset', ['Choose one.']],
  ['ladderMode', ['Choose bitrate or quality.']],
  ['copy', ['Choose off or auto.']],
  ['segmentSeconds', ['Give a whole multiple of the gop.']],
  ['formats', ['Name one audio stream.']],
  ['audioCodec', ['Remove "stereo".']],
  ['maxFps', []],
] as const)('the field %s has %o', (field, messages) => {
  expect(errorsOfField(errors, field)).toEqual(messages);
});

test('errors of a rendition are at its controls', () => {
  expect(errorsOfRendition(errors, 0, 'bitrate')).toEqual(['Give a bitrate.']);
  expect(errorsOfRendition(errors, 1, 'height')).toEqual(['Give a height.']);
  expect(errorsOfRendition(errors, 1, 'bitrate')).toEqual(['Give a crf.']);
  expect(errorsOfRendition(errors, 0, 'width')).toEqual([]);
});

test('all others are listed with their path, and errors beside the query are not', () => {
  expect(otherErrors(errors)).toEqual([
    { path: '', messages: ['Make the query smaller.'] },
    { path: 'thumbnails.poster.at', messages: ['Give a position.'] },
    { path: 'chunk_duration', messages: ['Give a whole number.'] },
  ]);
});
