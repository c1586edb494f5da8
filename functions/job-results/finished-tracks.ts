import { renditionRange } from '../../shared/media/video-range.ts';
import { keepsClosedCaptions } from '../../shared/protocol/closed-captions.ts';
import type { EncodedTrack } from '../../shared/protocol/encode-spec.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { JobResult } from '../../shared/protocol/jobs.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import { plannedTracks } from '../planning/video/track-chunks.ts';
import { readPlan } from '../stored-plans/stored-plans.ts';
import { jobFolder } from './job-files.ts';
import { finishedJobs } from './job-results.ts';
import { joinParts, type PackagedTrack, renditionProperties } from './packaged-track.ts';

/**
 * The tracks that outputs of a plan can use, by name, with object keys as paths: those that the plan has encoded
 * completely, and those that it reuses from other plans (`plan.carried`). Without video tracks of which a chunk failed.
 * @throws JobError OUTPUT_MISMATCH when the chunks of a track do not fit together, which is a defect of the encoder
 */
export async function finishedTracks(
  videoUlid: string,
  planNumber: number,
  plan: Plan,
): Promise<Map<string, PackagedTrack>> {
  const found = await encodedTracks(videoUlid, planNumber, plan);
  for (const other of new Set(Object.values(plan.carried))) {
    const tracks = await encodedTracks(videoUlid, other, await readPlan(videoUlid, other));
    for (const [name, track] of tracks) if (plan.carried[name] === other) found.set(name, track);
  }
  return found;
}

async function encodedTracks(videoUlid: string, planNumber: number, plan: Plan): Promise<Map<string, PackagedTrack>> {
  const [chunkJobs, audioJobs] = await Promise.all([
    finishedJobs(videoUlid, planNumber, 'encode-video'),
    finishedJobs(videoUlid, planNumber, 'encode-audio'),
  ]);
  const folderOf = (kind: 'encode-video' | 'encode-audio', job: { group: number; index: number; attempt: number }) =>
    jobFolder({ videoUlid, planNumber, kind, ...job });
  const found = new Map<string, PackagedTrack>();

  const jobs = new Map(chunkJobs.map((job) => [`${job.group} ${job.index}`, job]));
  for (const { rung, grid, chunks } of plannedTracks(plan)) {
    const done = chunks.flatMap(({ group, chunk }) => jobs.get(`${group} ${chunk.index}`) ?? []);
    if (done.length < chunks.length) continue;
    const parts = done.map((job) => ({
      folder: folderOf('encode-video', job),
      track: findEncodedTrack(job.result.tracks, rung.name),
    }));
    found.set(rung.name, {
      ...joinParts(rung.name, parts),
      kind: 'video',
      width: rung.pad?.width ?? rung.width,
      height: rung.pad?.height ?? rung.height,
      sampleAspectRatio: rung.sampleAspectRatio,
      frameRate: grid.frameRate,
      frameCount: chunks.at(-1)?.chunk.endFrame ?? 0,
      videoRange: plan.source ? renditionRange(plan.source, rung) : 'SDR',
      ...(plan.source && keepsClosedCaptions(plan.source, grid, rung) && { closedCaptions: true }),
    });
  }
  for (const job of audioJobs) {
    const rendition = plan.audio[job.index];
    if (!rendition) continue;
    found.set(rendition.name, {
      ...joinParts(rendition.name, [{ folder: folderOf('encode-audio', job), track: job.result.track }]),
      kind: 'audio',
      ...renditionProperties(rendition),
    });
  }
  return found;
}

/** The track with this name. Throws when it is not finished: callers run after all encodes have ended. */
export function requireTrack(tracks: ReadonlyMap<string, PackagedTrack>, name: string | undefined): PackagedTrack {
  const track = name === undefined ? undefined : tracks.get(name);
  if (!track) throw new Error(`track ${name} is not finished`);
  return track;
}

/** The size of a track in the bucket. */
export const trackBytes = ({ init, segments }: PackagedTrack): number =>
  segments.reduce((sum, { bytes }) => sum + bytes, init.bytes);

function findEncodedTrack(tracks: JobResult<'encode-video'>['tracks'], name: string): EncodedTrack {
  const track = tracks.find((candidate) => candidate.name === name);
  if (!track) throw new JobError('OUTPUT_MISMATCH', `the result of a chunk lacks its rung ${name}`);
  return track;
}
