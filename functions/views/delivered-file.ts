import { segmentNumber } from '../../shared/protocol/track-files.ts';

/** A part of a plan that has files of its own: a group of rungs, an audio track, or a remuxed output. */
export type TrackName = { planNumber: number; kind: 'video' | 'audio' | 'output'; group: number; index: number };

/** What the path of a request names. `other`: manifests, images, captions and the like. */
export type DeliveredFile =
  | { videoUlid: string; kind: 'segment'; track: TrackName; number: number }
  | { videoUlid: string; kind: 'file'; track: TrackName; key: string }
  | { videoUlid: string; kind: 'other' };

const videoPath = /^\/(videos\/([0-9A-HJKMNP-TV-Z]{26})\/(.*))$/;
/** The folder of an attempt at a job, see `attemptPrefix` and `jobName`. */
const jobFile = /^r(\d{1,9})\/(encode-video|encode-audio|package)-(\d{2,9})-(\d{5,9})-a\d{1,9}\/(.+)$/;
const transportStreamSegment = /^(\d{5,9})\.ts$/;

/** The file that the path of an access log names. Undefined when it is none of a video. */
export function deliveredFile(path: string): DeliveredFile | undefined {
  const [, key = '', videoUlid, file = ''] = videoPath.exec(path) ?? [];
  if (videoUlid === undefined) return undefined;
  const [, plan, job, group, index, name = ''] = jobFile.exec(file) ?? [];
  if (plan === undefined) return { videoUlid, kind: 'other' };
  const track = { planNumber: Number(plan), group: Number(group), index: Number(index) };
  if (job === 'package') {
    const [, digits] = transportStreamSegment.exec(name) ?? [];
    const output: TrackName = { ...track, kind: 'output' };
    if (digits !== undefined) return { videoUlid, kind: 'segment', track: output, number: Number(digits) };
    if (name === 'video.mp4' || name === 'audio.m4a') return { videoUlid, kind: 'file', track: output, key };
    return { videoUlid, kind: 'other' };
  }
  const segment = name.slice(name.lastIndexOf('/') + 1);
  const number = segmentNumber(segment, 1) ?? segmentNumber(segment, 2);
  if (number === undefined) return { videoUlid, kind: 'other' };
  return job === 'encode-video'
    ? // The chunks of a group number their segments together.
      { videoUlid, kind: 'segment', track: { ...track, kind: 'video', index: 0 }, number }
    : { videoUlid, kind: 'segment', track: { ...track, kind: 'audio' }, number };
}
