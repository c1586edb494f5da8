import { streamsOf } from '../journey/support/templates.ts';
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

/** The template of the clip under faults: every state has work. */
export const templates: Record<TemplateName, object> = {
  quick: { ...all, video: [rung] },
  slow: { ...all, video: [{ ...rung, height: 180, preset: 'slower' }] },
};
