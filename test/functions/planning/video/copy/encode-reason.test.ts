import { expect, test } from 'vitest';
import { encodeReason } from '../../../../../functions/planning/video/copy/encode-reason.ts';
import type { Presentation } from '../../../../../functions/planning/video/frame-grid.ts';
import { planRungs } from '../../../../../functions/planning/video/rungs.ts';
import { type VideoEntry, videoEntrySchema } from '../../../../../functions/templates/query-structure.ts';
import type { CopyProperties } from '../../../../../shared/protocol/copy-properties.ts';
import type { FrameIndex, VideoTrack } from '../../../../../shared/protocol/probe-result.ts';
import { evenIndex, videoTrack } from '../../source-fixture.ts';

const frameCount = 300;
const facts: CopyProperties = { profile: 'high', level: 4 };
const good = (changes: Partial<VideoTrack> = {}) => videoTrack({ frameCount, copy: facts, ...changes });
/** 2.4 Mbit/s */
const evenly = Array<number>(frameCount).fill(10_000);

function reasonFor({
  track = good(),
  entry = {},
  frameBytes = evenly,
  rung = {},
  presentation = { originSeconds: 0, durationSeconds: 10 },
  change = null,
}: {
  track?: VideoTrack;
  entry?: Partial<VideoEntry>;
  frameBytes?: number[];
  rung?: object;
  presentation?: Presentation;
  change?: string | null;
}) {
  const frames: FrameIndex = { ...evenIndex(track), copy: { frameBytes, starts: [0] } };
  const asked = videoEntrySchema.parse({ name: 'v', codec: 'h264', height: 1080, bitrate: '5M', ...entry });
  const [planned] = planRungs([asked], 'contain', {
    display: { width: 1920, height: 1080 },
    frameRate: track.averageFrameRate,
  });
  const changed = { ...planned!, rung: { ...planned!.rung, ...rung } };
  return encodeReason(changed, { track, frames, presentation, templateReason: change }, planned!.rung.rate);
}

test('a source that already is what the rung asks for is not encoded', () => {
  expect(reasonFor({})).toBeNull();
  expect(reasonFor({ entry: { profile: 'high', level: '4.0', fps: 30 } })).toBeNull();
  expect(reasonFor({ entry: { crf: 23, bitrate: undefined } })).toBeNull();
  expect(reasonFor({ entry: { bitrate: '2400k' } })).toBeNull();
});

test('a presentation that is longer by less than a frame is copied', () => {
  expect(reasonFor({ presentation: { originSeconds: -0.03, durationSeconds: 10.06 } })).toBeNull();
});

test.each<[reason: string, given: Parameters<typeof reasonFor>[0]]>([
  ['the video ends 0.07 s before the audio', { presentation: { originSeconds: 0, durationSeconds: 10.07 } }],
  ['the video starts 5.00 s after the audio', { presentation: { originSeconds: -5, durationSeconds: 15.5 } }],
  ['the source is rotated', { track: good({ rotationDegrees: 180 }) }],
  ['the pixels of the source are not square', { track: good({ sampleAspectRatio: { num: 4, den: 3 } }) }],
  ['the source has 1920 × 1080 pixels', { rung: { width: 1280, height: 720 } }],
  ['the source has 1920 × 1080 pixels', { rung: { crop: { width: 1440, height: 1080 } } }],
  ['the source has 1920 × 1080 pixels', { rung: { pad: { width: 1920, height: 1200 } } }],
  ['the source has 30 frames per second', { entry: { fps: 25 } }],
  ['the frame rate of the source is not constant', { track: good({ constantFrameRate: false }) }],
  ['the source is interlaced', { track: good({ interlaced: true }) }],
  ['the source is H.265 / HEVC, not H.264 / AVC', { track: good({ codec: 'hevc', copy: undefined }) }],
  ['the source is mpeg2video, not H.264 / AVC', { track: good({ codec: 'mpeg2video', copy: undefined }) }],
  ['VP9 is not copied', { track: good({ codec: 'vp9', copy: undefined }), entry: { codec: 'vp9' } }],
  ['the source was probed by an older version', { track: good({ copy: undefined }) }],
  [
    'frames that the file declares as key frames depend on earlier frames',
    { track: good({ copy: { obstacle: 'key-frames' } }) },
  ],
  ['the source was probed incompletely', { frameBytes: [1] }],
  ['the source is yuv422p, not yuv420p', { track: good({ pixelFormat: 'yuv422p' }) }],
  ['the source is HDR with 8 bits', { track: good({ colorTransfer: 'arib-std-b67' }) }],
  ['the source uses the full range of values', { track: good({ colorRange: 'pc' }) }],
  ['the source has the profile high', { entry: { profile: 'main' } }],
  ['the source has level 4.2', { track: good({ copy: { ...facts, level: 4.2 } }), entry: { level: '4.0' } }],
  ['the source has 2400 kbit/s on average, above 2000 kbit/s', { entry: { bitrate: '2M' } }],
  [
    'the peaks of the source are above 7500 kbit/s',
    { frameBytes: evenly.map((_, n) => (n > 100 && n < 200 ? 50_000 : 5000)) },
  ],
])('a rung is encoded when %s', (reason, given) => {
  expect(reasonFor(given)).toBe(reason);
});

test('a picture that the template changes is encoded', () => {
  expect(reasonFor({ change: 'the template has a watermark' })).toBe('the template has a watermark');
});
