import type { ProbeResult } from '../../shared/protocol/probe-result.ts';
import type { TemplateQuery } from '../templates/query-structure.ts';
import type { PlannedAudio } from './audio/audio-plan.ts';
import type { PlannedRung } from './video/rungs.ts';

/** Notes for the uploader on what differs from the template, one sentence each. */
export function planWarnings(
  query: TemplateQuery,
  probe: ProbeResult,
  { rungs, renditions }: { rungs: PlannedRung[]; renditions: PlannedAudio[] },
): string[] {
  const asksForVideo = query.ladder !== undefined || query.video.length > 0;
  return [
    ...probe.warnings,
    ...(asksForVideo && !probe.video ? ['The source has no video: video streams are left out.'] : []),
    ...(query.audio.length > 0 && probe.audio.length === 0
      ? [`The source has no audio${hasAudio(probe) ? ' that can be used' : ''}: audio streams are left out.`]
      : []),
    ...new Set(renditions.flatMap(({ warning }) => warning ?? [])),
    ...rungs.flatMap(({ rung, duplicates }) =>
      duplicates.map((name) => `${name} is left out: for this source it is identical to ${rung.name}.`),
    ),
    ...rungs
      .filter(({ entry }) => entry.two_pass && entry.crf !== undefined)
      .map(({ rung }) => `${rung.name} is encoded in one pass: two_pass has no effect with a crf.`),
  ];
}

/** Whether the file has audio tracks, also if none can be decoded. */
const hasAudio = ({ meta }: ProbeResult): boolean =>
  (meta.streams ?? []).some(({ codec_type: kind }) => kind === 'audio');
