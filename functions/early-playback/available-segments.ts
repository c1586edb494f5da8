import type { EncodedTrack } from '../../shared/protocol/encode-spec.ts';
import { initFile, segmentFile } from '../../shared/protocol/track-files.ts';
import { jobFolder } from '../job-results/job-files.ts';
import { resultOf } from '../job-results/job-results.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import { findJobsById } from '../table/jobs/job-table.ts';
import type { Job, JobOf } from '../table/records.ts';
import type { SegmentedTrack, TrackPart } from './track-parts.ts';

/** A stored segment of a track. `key` is that of its object. */
export type AvailableSegment = { key: string; durationSeconds: number };

export type Available = {
  /** the segments from the requested one on that are stored without a gap */
  segments: AvailableSegment[];
  /** the last of them is the last of the track */
  reachesEnd: boolean;
  /** what the attempt that made the first of the track's segments says; undefined when the walk began later */
  start: { initKey: string; codecs: string; startedAt: string } | undefined;
};

type Owner = { videoUlid: string; planNumber: number };

/** How many jobs are read at once, and how many segments one call returns at most. */
const jobsPerRead = 10;
const maxSegments = 500;

/**
 * The segments of a track from number `from` on that workers have stored, in finished jobs and in running ones. Reads
 * only the jobs of these segments and of the next ones.
 */
export async function availableSegments(
  owner: Owner,
  plan: Plan,
  track: SegmentedTrack,
  from: number,
): Promise<Available> {
  const parts = track.parts.filter(({ firstSegment, segmentCount }) => firstSegment + segmentCount > from);
  const found: Available = { segments: [], reachesEnd: false, start: undefined };
  for (let first = 0; first < parts.length; first += jobsPerRead) {
    const batch = parts.slice(first, first + jobsPerRead);
    const jobs = await findJobsById(batch.map(({ job }) => ({ ...owner, ...job })));
    for (const part of batch) {
      const job = jobs.find(({ group, index }) => group === part.job.group && index === part.job.index);
      const stored = job && (await storedPart(plan, track, part, job));
      if (!stored) return found;
      if (part.firstSegment === 0) found.start = { ...stored.start, startedAt: startOf(job) };
      found.segments.push(...stored.segments.slice(Math.max(0, from - part.firstSegment)));
      if (!stored.isComplete) return found;
      if (part === parts.at(-1)) return { ...found, reachesEnd: true };
      if (found.segments.length >= maxSegments) return found;
    }
  }
  return { ...found, reachesEnd: parts.length === 0 };
}

type StoredPart = {
  segments: AvailableSegment[];
  isComplete: boolean;
  start: { initKey: string; codecs: string };
};

/** What a job has stored of a track. Undefined while that is nothing. */
async function storedPart(
  plan: Plan,
  track: SegmentedTrack,
  part: TrackPart,
  job: Job,
): Promise<StoredPart | undefined> {
  if (job.status === 'DONE') {
    const encoded = await encodedTrack(job, track.name);
    const folder = jobFolder(job);
    return (
      encoded && {
        segments: encoded.segments.map(({ file, durationTicks }) => ({
          key: `${folder}${file}`,
          durationSeconds: durationTicks / encoded.timescale,
        })),
        isComplete: true,
        start: { initKey: `${folder}${encoded.init.file}`, codecs: encoded.codecs },
      }
    );
  }
  const { stored } = job;
  const codecs = stored?.codecs[track.name];
  if (!stored || codecs === undefined) return undefined;
  const folder = `${jobFolder({ ...job, attempt: stored.attempt })}${track.name}/`;
  return {
    segments: Array.from({ length: stored.segments }, (_, offset) => ({
      key: `${folder}${segmentFile(part.firstSegment + offset, stored.run)}`,
      durationSeconds: plannedSeconds(plan, track, part, part.firstSegment + offset),
    })),
    // The result of the job says when the track ends.
    isComplete: false,
    start: { initKey: `${folder}${initFile(stored.run)}`, codecs },
  };
}

async function encodedTrack(job: Job, name: string): Promise<EncodedTrack | undefined> {
  if (job.kind === 'encode-audio') return (await resultOf(job)).track;
  if (job.kind !== 'encode-video') return undefined;
  return (await resultOf(job as JobOf<'encode-video'>)).tracks.find((candidate) => candidate.name === name);
}

/** The duration that a segment has by the plan: exact for video, within a frame of the codec for audio. */
function plannedSeconds(plan: Plan, track: SegmentedTrack, part: TrackPart, number: number): number {
  if (track.kind === 'audio') return plan.audio[part.job.index]!.segmentSeconds;
  const { grid, chunks } = plan.groups[part.job.group]!;
  const end = Math.min((number + 1) * grid.segmentFrames, chunks[part.job.index]!.endFrame);
  return ((end - number * grid.segmentFrames) * grid.ticksPerFrame) / grid.timescale;
}

/** When the first attempt at a job began: time lost by earlier attempts counts, because later jobs may lose it too. */
const startOf = ({ attempts, createdAt }: Job): string =>
  Object.values(attempts)
    .map(({ startedAt }) => startedAt)
    .sort()[0] ?? createdAt;
