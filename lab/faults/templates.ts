import { streamsOf } from '../../test/journey/support/templates.ts';
import type { TemplateName } from './injected/fault.ts';

const all = {
  ...streamsOf([]),
  outputs: [
    { format: 'hls', segment_duration: 2 },
    { format: 'mp4', video: ['v90'] },
  ],
  thumbnails: { poster: { at: '10%', width: 160 } },
};
// Without a bitrate: with a cap, x264 depends on thread timing and its output varies.
const rung = { name: 'v90', codec: 'h264', height: 90, crf: 30, preset: 'ultrafast' };

/** The starter is encoded soon and plays while the other rung is encoded for many seconds. */
const early = {
  ...streamsOf([]),
  video: [
    { ...rung, name: 'v360', height: 360 },
    { ...rung, name: 'v240', height: 240, preset: 'slower' },
  ],
  outputs: [{ format: 'hls', segment_duration: 2 }],
};

/** The clip has no video: each output fails when it is planned, with an event and without any encoding. */
export const refusedOutputs = (segmentSeconds: number): object => ({
  version: 1,
  video: [rung],
  outputs: Array.from({ length: 8 }, (_, index) => ({
    name: `hls-${index}`,
    format: 'hls',
    segment_duration: segmentSeconds,
  })),
});

/** The template of the clip under faults: every state has work. */
export const templates: Record<TemplateName, object> = {
  quick: { ...all, video: [rung] },
  copied: { ...all, video: [rung] },
  slow: { ...all, video: [{ ...rung, height: 180, preset: 'slower' }] },
  early,
  refused: refusedOutputs(2),
};

/** Templates whose videos always have the same plan. That of `early` depends on how busy the workers are. */
export const comparedTemplates = ['quick', 'slow'] as const;

/** What the templates have copied to a storage: the files of `copied` are also a large one, and some that are made. */
export const deliveredExtras: Partial<Record<TemplateName, string[]>> = {
  quick: [],
  copied: ['original', 'poster', 'metadata'],
};
