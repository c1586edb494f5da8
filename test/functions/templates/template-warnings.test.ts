import { expect, test } from 'vitest';
import { presets } from '../../../functions/templates/presets.ts';
import { templateWarnings as warningsOf } from '../../../functions/templates/template-warnings.ts';

const templateWarnings = (query: unknown, hasSpeechModel = false) => warningsOf(query, { hasSpeechModel });

const av1 = { name: 'av1', codec: 'av1', crf: 30 };
const h264 = { name: 'h264', codec: 'h264', crf: 24 };
const opus = { name: 'opus', codec: 'opus' };
const aac = { name: 'aac', codec: 'aac' };

test('HLS with AV1 or Opus alone is named, with the codecs that reach more players', () => {
  expect(templateWarnings({ video: [av1], audio: [opus], outputs: [{ format: 'hls', name: 'web' }] })).toEqual([
    'The video of HLS output "web" is AV1 only, which many Apple devices and older players do not play in HLS. H.264 / AVC or H.265 / HEVC reaches them.',
    'The audio of HLS output "web" is Opus only, which many Apple devices and older players do not play in HLS. AAC-LC reaches them.',
  ]);
  const outputs = [{ format: 'dash' }, { format: 'hls' }];
  expect(templateWarnings({ ladder: { codec: 'vp9' }, audio: [aac], outputs })).toEqual([
    expect.stringContaining('The video of HLS output 2 is VP9 only'),
  ]);
});

test('other formats, a second codec and outputs without such streams have no warnings', () => {
  expect(templateWarnings({ video: [av1], audio: [opus], outputs: [{ format: 'dash' }] })).toEqual([]);
  expect(templateWarnings({ video: [av1, h264], audio: [opus, aac], outputs: [{ format: 'hls' }] })).toEqual([]);
  const outputs = [{ format: 'hls', video: ['h264'], audio: [] }, { format: 'dash' }];
  expect(templateWarnings({ video: [av1, h264], audio: [opus], outputs })).toEqual([]);
});

test('copies of a changed picture have a warning', () => {
  const warnings = (picture: object) =>
    templateWarnings({ video: [h264], outputs: [{ format: 'mp4' }], copy: 'auto', picture });
  const warning = 'copy has no effect: a picture that is cropped, rotated or flipped has to be encoded.';
  for (const picture of [{ rotate: 90 }, { flip: 'vertical' }, { crop: { top: 2 } }, { crop: { left: '0.5%' } }]) {
    expect(warnings(picture)).toEqual([warning]);
  }
  for (const picture of [{}, { rotate: 0, crop: { top: '0%', left: 0 } }, { deinterlace: 'double' }]) {
    expect(warnings(picture)).toEqual([]);
  }
});

test('captions from speech have a warning without a model', () => {
  const query = { audio: [aac], outputs: [{ format: 'mp4' }], captions: { generate: 'missing' } };
  expect(templateWarnings(query)).toEqual([
    'captions.generate has no effect: this service has no model of speech, which its operator can install.',
  ]);
  expect(templateWarnings(query, true)).toEqual([]);
  expect(templateWarnings({ ...query, captions: { generate: 'off' } })).toEqual([]);
});

test('a stored query that is no longer valid has no warnings', () => {
  expect(templateWarnings({ video: [{ ...av1, codec: 'theora' }], outputs: [{ format: 'hls' }] })).toEqual([]);
});

test('of the presets only AV1 in HLS has warnings', () => {
  expect(presets.filter(({ query }) => templateWarnings(query).length > 0).map(({ slug }) => slug)).toEqual([
    'dash-av1',
  ]);
});
