import { describe, test } from 'vitest';
import { containersAndCodecs, oddFrames, oddTimes, oddTracks, type SourceCase } from '../support/clips/source-cases.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { expectFaithful } from '../support/expect-faithful.ts';
import { sampled } from '../support/sampled.ts';

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

const sample = {
  containersAndCodecs: [
    ...['MP4, H.264 with B-frames, AAC', 'MOV, 10-bit HEVC, PCM', 'WebM, VP9, Opus', 'AVI, MPEG-4, MP3'],
    ...['MPEG-TS that starts at ten hours, AC-3', 'MXF, MPEG-2, PCM', 'GIF'],
  ],
  oddFrames: [
    ...['29.97 frames per second', 'interlaced H.264', 'turned by 90°', 'anamorphic', 'an odd frame size in 4:4:4'],
    'a rotated phone video with a variable frame rate',
  ],
  oddTimes: [
    ...['cut between key frames by an edit list', 'an open GOP in MPEG-TS', 'video that starts late'],
    ...['audio that starts late', 'variable frame rate with gaps', 'a declared duration of a hundred hours'],
  ],
  oddTracks: [
    ...['no audio', 'audio only', 'several video and audio tracks, audio first', 'six channels without a layout'],
  ],
};

describe.each([
  ['containers and codecs', sampled(containersAndCodecs, sample.containersAndCodecs)],
  ['frame sizes and colours', sampled(oddFrames, sample.oddFrames)],
  ['times', sampled(oddTimes, sample.oddTimes)],
  ['tracks', sampled(oddTracks, sample.oddTracks)],
])('%s', (_, cases) => {
  test.concurrent.each(cases)('$name', takes);
});
