import { describe, test } from 'vitest';
import { sampled } from '../../fixtures/sampling/sampled.ts';
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

/** What other tests do not show: those of encode-video have turned, interlaced and 29.97 fps sources. */
const sample = {
  containersAndCodecs: ['MP4, H.264 with B-frames, AAC', 'MPEG-TS that starts at ten hours, AC-3', 'GIF'],
  oddFrames: ['anamorphic', 'an odd frame size in 4:4:4', 'a rotated phone video with a variable frame rate'],
  oddTimes: [
    'cut between key frames by an edit list',
    'video that starts late',
    'audio that starts late',
    'variable frame rate with gaps',
    'a declared duration of a hundred hours',
  ],
  oddTracks: ['no audio', 'several video and audio tracks, audio first'],
};

describe.each([
  ['containers and codecs', sampled(containersAndCodecs, sample.containersAndCodecs)],
  ['frame sizes and colours', sampled(oddFrames, sample.oddFrames)],
  ['times', sampled(oddTimes, sample.oddTimes)],
  ['tracks', sampled(oddTracks, sample.oddTracks)],
])('%s', (_, cases) => {
  test.concurrent.each(cases)('$name', takes);
});
