import type { JobKind } from '../../shared/protocol/jobs.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import { remuxCount } from '../planning/output-plan.ts';
import type { Job } from '../table/records.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';

/** How many jobs of each kind a plan has, those included that are not queued yet. */
export function plannedJobs(plan: Plan): Partial<Record<JobKind, number>> {
  const { groups, audio, thumbnails, captions, outputs, quality } = plan;
  const made = outputs.filter(({ error }) => error === null);
  return {
    quality: quality ? 1 : 0,
    'encode-video': groups.reduce((sum, { chunks }) => sum + chunks.length, 0),
    'encode-audio': audio.length,
    thumbnails: thumbnails ? 1 : 0,
    text: captions.length > 0 ? 1 : 0,
    package: made.reduce((sum, output) => sum + remuxCount(output), 0),
  };
}

/** The streams that a job encodes, and the output that it packages, by ULID. */
export type JobParts = { streams: string[]; output: string | null };

/** The parts of a video that a job of a plan makes. */
export function partsOf(
  { streams, outputs }: Pick<WholeVideo, 'streams' | 'outputs'>,
  plan: Plan,
  { kind, planNumber, group, index }: Pick<Job, 'kind' | 'planNumber' | 'group' | 'index'>,
): JobParts {
  const tracks =
    kind === 'encode-video'
      ? (plan.groups[group]?.rungs ?? []).map(({ name }) => name)
      : kind === 'encode-audio'
        ? plan.audio.slice(index, index + 1).map(({ name }) => name)
        : [];
  const packaged = kind === 'package' ? plan.outputs[group]?.name : undefined;
  // The last one: an output of an earlier plan may have the same name.
  const output = outputs.findLast(({ name }) => name === packaged);
  return {
    streams: streams.flatMap((stream) =>
      stream.planNumber === planNumber && tracks.includes(stream.track) ? stream.ulid : [],
    ),
    output: output?.ulid ?? null,
  };
}
