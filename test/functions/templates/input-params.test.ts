import { expect, test } from 'vitest';
import { inputParamsSchema } from '../../../functions/templates/input-params.ts';

const pathsOf = (params: unknown): string[] =>
  (inputParamsSchema.safeParse(params).error?.issues ?? []).map(({ path }) => path.join('.'));

test('parameters of video and audio streams are accepted unchanged', () => {
  const video = { codec: 'h264', width: 1280, height: 720, bitrate: '2800k', preset: 'fast', gop: 2 };
  const audio = { codec: 'opus', bitrate: '96k', channels: 2, sample_rate: 48000, language: 'pt-BR' };
  expect(inputParamsSchema.parse(video)).toEqual(video);
  expect(inputParamsSchema.parse(audio)).toEqual(audio);
  expect(inputParamsSchema.parse({})).toEqual({});
});

test.each<[unknown, string[]]>([
  [{ codec: 'h264', url: 'http://127.0.0.1/' }, ['']],
  [{ codec: 'h264', crf: 60 }, ['crf']],
  [{ codec: 'hevc', profile: 'high' }, ['profile']],
  [{ codec: 'aac', width: 640 }, ['width']],
  [{ codec: 'h264', channels: 2 }, ['channels']],
  [{ bitrate: '0k' }, ['bitrate']],
  [{ bitrate: 2800 }, ['bitrate']],
  [{ width: 63 }, ['width']],
  [null, ['']],
])('%j is refused', (params, paths) => {
  expect(pathsOf(params)).toEqual(paths);
});
