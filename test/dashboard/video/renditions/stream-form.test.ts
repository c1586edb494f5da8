import { expect, test } from 'vitest';
import { changesOf, formOf, paramsOf, withType } from '../../../../dashboard/video/renditions/stream-form.ts';
import type { Stream } from '../../../../dashboard/video/video-properties.ts';

const stream = {
  name: '480p',
  type: 'video',
  input_params: { codec: 'h264', height: 480, width: 854, bitrate: '1400k' },
} as unknown as Stream;

test('the form of a stream changes nothing by itself', () => {
  const form = formOf(stream);
  expect(changesOf(form, form)).toEqual({});
});

test('only what was changed is sent', () => {
  const form = formOf(stream);
  expect(changesOf(form, { ...form, name: 'SD' })).toEqual({ name: 'SD' });
  expect(changesOf(form, { ...form, height: '360' })).toEqual({ input_params: { height: 360 } });
});

test('an empty field is left to the service', () => {
  expect(paramsOf({ ...formOf(stream), height: '', bitrate: '' })).toEqual({ codec: 'h264' });
});

test('audio has its own codecs and no height', () => {
  const audio = withType(formOf(undefined), 'audio');
  expect(paramsOf(audio)).toEqual({ codec: 'aac', bitrate: '128k' });
  expect(withType(audio, 'muxed').codec).toBe('h264');
});
