import { expect, test } from 'vitest';
import {
  errorsOfDeliveries,
  errorsOfDelivery,
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
  'query.captions.generate': ['Choose off.'],
  'query.captions.generate_languages.0': ['Give a BCP 47 tag.'],
  'query.captions.embedded.0': ['Give a language.'],
  'query.deliver': ['The storage does not exist.'],
  'query.deliver.0': ['Give an object.'],
  'query.deliver.1.storage': ['Give the ULID of one of your storages.'],
  'query.deliver.1.outputs': ['Name outputs, or what else is copied.'],
  'query.deliver.1.outputs.2': ['Name an output of this template.'],
  'query.deliver.1.also.0': ['Choose one.'],
  'query.deliver.1.bucket': ['Remove it.'],
});

test.each([
  ['videoCodec', ['Choose a codec.']],
  ['encoderPreset', ['Choose one.']],
  ['ladderMode', ['Choose bitrate or quality.']],
  ['copy', ['Choose off or auto.']],
  ['segmentSeconds', ['Give a whole multiple of the gop.']],
  ['formats', ['Name one audio stream.']],
  ['audioCodec', ['Remove "stereo".']],
  ['embeddedCaptions', ['Give a language.']],
  ['generatedCaptions', ['Choose off.']],
  ['generateLanguages', ['Give a BCP 47 tag.']],
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

test('errors of a copy to a storage are at its controls, and those of the list above them', () => {
  expect(errorsOfDeliveries(errors)).toEqual(['The storage does not exist.']);
  expect(errorsOfDelivery(errors, 0, 'storage')).toEqual(['Give an object.']);
  expect(errorsOfDelivery(errors, 1, 'storage')).toEqual(['Give the ULID of one of your storages.']);
  expect(errorsOfDelivery(errors, 1, 'outputs')).toEqual([
    'Name outputs, or what else is copied.',
    'Name an output of this template.',
  ]);
  expect(errorsOfDelivery(errors, 1, 'also')).toEqual(['Choose one.']);
  expect(errorsOfDelivery(errors, 1, 'path')).toEqual([]);
});

test('all others are listed with their path, and errors beside the query are not', () => {
  expect(otherErrors(errors)).toEqual([
    { path: '', messages: ['Make the query smaller.'] },
    { path: 'thumbnails.poster.at', messages: ['Give a position.'] },
    { path: 'chunk_duration', messages: ['Give a whole number.'] },
    { path: 'deliver.1.bucket', messages: ['Remove it.'] },
  ]);
});
