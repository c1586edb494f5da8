import { streamsOf } from '../journey/templates.ts';
import type { TemplateName } from './fault.ts';

const made = {
  outputs: [
    { format: 'hls', segment_duration: 2 },
    { format: 'mp4', video: ['v90'] },
  ],
  thumbnails: { poster: { at: '10%', width: 160 } },
};
const quick = { ...streamsOf([90]), ...made };

/** What videos are made of under faults: every state has something to do. */
export const templates: Record<TemplateName, object> = {
  quick,
  slow: { ...quick, video: quick.video.map((rung) => ({ ...rung, preset: 'slower', height: 180 })) },
};
