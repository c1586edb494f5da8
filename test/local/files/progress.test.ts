import { expect, test } from 'vitest';
import { createProgress } from '../../../local/files/progress.ts';

const output = (isTTY: boolean) => {
  const written: string[] = [];
  const stream = { isTTY, columns: 60, write: (text: string) => written.push(text) };
  return { written, stream: stream as unknown as NodeJS.WriteStream };
};

test('on a terminal one line changes, never wider than the terminal, and other lines stay above it', () => {
  const { written, stream } = output(true);
  const progress = createProgress(stream);
  progress.show('a.mp4', 'upload', 0.5, '');
  progress.show('a.mp4', 'hls', 0.125, 'running');
  progress.show('a.mp4', 'dash', 0, 'pending');
  progress.show('a.mp4', 'dash', 0, 'pending');
  progress.say('a.mp4 plays now');
  progress.show('a.mp4', 'hls', 1, 'completed');
  progress.show('a-long-name-of-another-file.mov', 'upload', 0.25, '');
  progress.stop();
  const clear = '\r\u001b[2K';
  expect(written).toEqual([
    `${clear}a.mp4 upload 50%`,
    `${clear}a.mp4 hls 12%`,
    `${clear}a.mp4 hls 12%, dash pending`,
    `${clear}a.mp4 plays now\n`,
    `${clear}a.mp4 hls 12%, dash pending`,
    `${clear}a.mp4 hls completed, dash pending`,
    `${clear}a.mp4 hls completed, dash pending | …ng-name-of-another-fil`,
    '\n',
  ]);
});

test('where nobody watches, each quarter and each change of status is one line', () => {
  const { written, stream } = output(false);
  const progress = createProgress(stream);
  for (const share of [0, 0.1, 0.3, 0.3, 0.6, 1]) progress.show('a.mp4', 'hls', share, 'running');
  progress.show('a.mp4', 'hls', 1, 'completed');
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
