import { enqueueVideo, hasSlot } from '../../admission/admission.ts';
import { uploadLimits } from '../../common/limits.ts';
import type { Template, Video } from '../../table/records.ts';
import { findAnyTemplate } from '../../table/template-table.ts';
import { isOfOtherQuery, nextPlan, queryOf } from '../../table/videos/reprocess-video.ts';
import { claimVideo, findVideo } from '../../table/videos/video-table.ts';
import { countStored } from '../../table/views/count-stored.ts';
import type { Claim } from '../run-operations.ts';
import { failVideo } from './fail-video.ts';

/**
 * Gives a video to an execution and starts its run. Of several executions for one video, the one whose ARN is in
 * the record continues, also when it is called again. When the template has changed since the plan of the video was
 * made, the run gets a new plan: all jobs and files of the present one are of another query.
 */
export async function startVideo(video: Video, executionArn: string): Promise<Claim> {
  const { planNumber } = video;
  if (video.executionArn !== null && video.executionArn !== executionArn) {
    return { decision: 'already-created', planNumber };
  }
  if (video.status !== 'pending') return { decision: 'process', planNumber };
  await countStored(video.ulid);

  const template = await findAnyTemplate(video.templateUlid);
  const reason = refusal(video, template);
  if (reason) {
    await failVideo(video, reason);
    return { decision: 'ignored', planNumber };
  }
  if (!(await hasSlot(video))) {
    return { decision: (await enqueueVideo(video)) ? 'queued' : 'already-created', planNumber };
  }
  const made = isOfOtherQuery(video, template) ? nextPlan(video) : planNumber;
  if (await claimVideo(video, { executionArn, planNumber: made, query: template ? queryOf(video, template) : null })) {
    return { decision: 'process', planNumber: made };
  }
  // Another call has claimed it since the read: an earlier one of this execution, or one of another execution.
  const current = await findVideo(video.ulid);
  return current?.executionArn === executionArn
    ? { decision: 'process', planNumber: current.planNumber }
    : { decision: 'already-created', planNumber };
}

function refusal(video: Video, template: Template | undefined): string | undefined {
  if (video.refusal !== undefined) return video.refusal;
  if (video.sourceBytes === 0) return 'INPUT_EMPTY: The file is empty. Upload a file that has content.';
  if (video.sourceBytes > uploadLimits.maxObjectBytes)
    return 'INPUT_TOO_LARGE: The file is over 5 TiB. Upload a smaller one.';
  return template
    ? undefined
    : 'INTERNAL: The template of this upload was deleted. Choose another and process the video again.';
}
