import { jobFolder } from '../job-results/job-files.ts';
import { finishedJobs } from '../job-results/job-results.ts';
import { captionFile } from '../planning/caption-plan.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import type { EmbeddedTrack } from './register-embedded.ts';

/** The captions of a plan with the files that a worker has made of them, or the reason why there is no file. */
export async function extractedCaptions(
  videoUlid: string,
  planNumber: number,
  { captions }: Pick<Plan, 'captions'>,
): Promise<EmbeddedTrack[]> {
  const [job] = await finishedJobs(videoUlid, planNumber, 'text');
  const folder = job && jobFolder({ videoUlid, planNumber, kind: 'text', ...job });
  return captions.map(({ language, kind, label, isDefault }, index) => {
    const file = captionFile(index);
    const made = job?.result.files.find((one) => one.file === file);
    const failure = job?.result.failures.find((one) => one.file === file);
    return {
      language,
      kind,
      label,
      isDefault,
      objectKey: made ? `${folder}${file}` : null,
      cueCount: made?.cueCount ?? 0,
      error: made ? null : (failure?.error ?? 'The text track could not be read. Upload a WebVTT or SubRip file.'),
    };
  });
}
