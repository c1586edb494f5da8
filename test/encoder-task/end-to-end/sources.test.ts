import { describe, test } from 'vitest';
import { containersAndCodecs, oddFrames, oddTimes, oddTracks, type SourceCase } from '../support/clips/source-cases.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { expectFaithful } from '../support/expect-faithful.ts';

const files = useStoreAndFolder();

/** Two chunks of a small rendition, and all audio. */
const query = {
  version: 1,
  video: [{ name: 'v', codec: 'h264', height: 90, preset: 'ultrafast', gop: 1, crf: 30 }],
  audio: [{ name: 'a', codec: 'aac', bitrate: '96k', channels: 2, languages: 'all' }],
  outputs: [{ format: 'hls', segment_duration: 2 }],
  chunk_duration: 4,
};

const takes = async ({ file, make, ...expected }: SourceCase): Promise<void> => {
  const path = files.path(file);
  await make(path);
  await expectFaithful(path, query, expected);
};

describe.each([
  ['containers and codecs', containersAndCodecs],
  ['frame sizes and colours', oddFrames],
  ['times', oddTimes],
  ['tracks', oddTracks],
])('%s', (_, cases) => {
  test.concurrent.each(cases)('$name', takes);
});
