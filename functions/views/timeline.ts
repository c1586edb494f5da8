import type { Plan } from '../planning/encoding-plan.ts';
import { plannedTracks } from '../planning/video/track-chunks.ts';
import { positionCount } from '../table/views/video-days.ts';
import type { TrackName } from './delivered-file.ts';

/**
 * A video's duration in slots of equal length, at least a second each, the last one shorter. A playback remembers each
 * slot that it has loaded as one bit. Segments of all tracks are cut differently; a slot counts as loaded with the
 * segment that has its middle.
 */
export type Timeline = { durationSeconds: number; slotSeconds: number; slots: number };

/** A playback has at most half a KiB of bits. */
const maxSlots = 4096;

export function timelineOf(durationSeconds: number): Timeline {
  const slotSeconds = Math.max(1, Math.ceil(durationSeconds / maxSlots));
  return { durationSeconds, slotSeconds, slots: Math.ceil(durationSeconds / slotSeconds) };
}

/** The slots, from the first to before the last, whose middle lies between two times. */
export function slotsBetween(timeline: Timeline, from: number, to: number): { from: number; to: number } {
  const { slots, slotSeconds, durationSeconds } = timeline;
  const firstWithMiddleFrom = (seconds: number): number => {
    const lastMiddle = ((slots - 1) * slotSeconds + durationSeconds) / 2;
    if (seconds > lastMiddle + tolerance) return slots;
    return Math.min(slots - 1, Math.max(0, Math.ceil(seconds / slotSeconds - 0.5 - tolerance)));
  };
  return { from: firstWithMiddleFrom(from), to: firstWithMiddleFrom(to) };
}

/** Times of segments are not exact. */
const tolerance = 1e-6;

export const slotMilliseconds = ({ durationSeconds, slotSeconds }: Timeline, slot: number): number =>
  Math.round(1000 * Math.min(slotSeconds, durationSeconds - slot * slotSeconds));

/** For each hundredth of the video, the slot that has its middle. */
export const positionSlots = ({ durationSeconds, slotSeconds }: Timeline): number[] =>
  Array.from({ length: positionCount }, (_, position) =>
    Math.floor(((position + 0.5) * durationSeconds) / positionCount / slotSeconds),
  );

/** How long the segments of a track are. Undefined when the plan has no such track. */
export function segmentSeconds(plan: Plan, track: TrackName): number | undefined {
  if (track.kind === 'video') return gridSeconds(plan.groups[track.group]?.grid);
  if (track.kind === 'audio') return plan.audio[track.index]?.segmentSeconds;
  const output = plan.outputs[track.group];
  const rung = output?.video[track.index];
  if (rung === undefined) return output?.segmentSeconds;
  return gridSeconds(plannedTracks(plan).find((planned) => planned.rung.name === rung)?.grid) ?? output?.segmentSeconds;
}

type Grid = Plan['groups'][number]['grid'];

const gridSeconds = (grid: Grid | undefined): number | undefined =>
  grid && (grid.segmentFrames * grid.ticksPerFrame) / grid.timescale;
