import { expect, test } from 'vitest';
import { createProgress } from '../../../../infra/local/files/progress.ts';

const output = (isTTY: boolean) => {
  const written: string[] = [];
  const stream = { isTTY, columns: 120, write: (text: string) => written.push(text) };
  return { written, stream: stream as unknown as NodeJS.WriteStream };
};

test('where nobody watches, each quarter and each change of status is one line', () => {
  const { written, stream } = output(false);
  const progress = createProgress(stream);
  for (const share of [0, 0.1, 0.3, 0.3, 0.6, 1]) progress.show('a.mp4 hls', share, 'running');
  progress.show('a.mp4 hls', 1, 'completed');
  progress.say('[proxy] line');
  progress.stop();
  expect(written).toEqual([
    'a.mp4 hls 0% running\n',
    'a.mp4 hls 25% running\n',
    'a.mp4 hls 50% running\n',
    'a.mp4 hls 100% running\n',
    'a.mp4 hls 100% completed\n',
    '[proxy] line\n',
  ]);
});
