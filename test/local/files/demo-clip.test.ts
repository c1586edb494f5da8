import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { withDemoClip } from '../../../local/files/demo-clip.ts';

test('the clip of the demo says which colours it has, so that no warning about guessed ones is shown', async () => {
  const fields = 'pix_fmt,color_range,color_space,color_transfer,color_primaries';
  const described = await withDemoClip(async ({ path }) => {
    const entries = ['-select_streams', 'v', '-show_entries', `stream=${fields}`, '-of', 'json', path];
    const { stdout } = await promisify(execFile)('ffprobe', ['-v', 'error', ...entries]);
    return JSON.parse(stdout).streams;
  });
  expect(described).toEqual([
    { pix_fmt: 'yuv420p', color_range: 'tv', color_space: 'bt709', color_transfer: 'bt709', color_primaries: 'bt709' },
  ]);
});
