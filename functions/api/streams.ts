import { Conflict, NotFound, ValidationFailed } from '../common/errors.ts';
import { streamRoutes } from '../contracts/routes/stream-routes.ts';
import { createApiHandler, recordRoute, route } from '../http/endpoint.ts';
import { serializeStream } from '../serializers/serialize-video.ts';
import { addStream } from '../stream-edits/add-stream.ts';
import { changeStream } from '../stream-edits/change-stream.ts';
import { removeStream } from '../stream-edits/remove-stream.ts';
import { quotaOf } from '../table/accounts/user-table.ts';
import { findUlid, findVideoOfPart } from '../table/ids/find-by-id.ts';
import { anyAmount, requireQuota } from '../table/quotas/reserve.ts';
import type { Stream, StreamEdit, User } from '../table/records.ts';
import type { Charged } from '../table/stream-edits/edited-streams.ts';
import { retryOnConflict } from '../table/videos/video-changed.ts';
import { findWholeVideo, type WholeVideo } from '../table/videos/video-table.ts';

type Found = { whole: WholeVideo; stream: Stream };

const isVisible = (whole: WholeVideo | undefined, user: User): whole is WholeVideo =>
  whole !== undefined && (whole.video.ownerUlid === user.ulid || user.isAdmin);

async function findVisible({ params, user }: { params: { id: string }; user: User }): Promise<Found | undefined> {
  const videoUlid = await findVideoOfPart('stream', params.id);
  const whole = videoUlid === undefined ? undefined : await findWholeVideo(videoUlid);
  return isVisible(whole, user) ? findStreamIn(whole, params.id) : undefined;
}

function findStreamIn(whole: WholeVideo, idOrUlid: string): Found | undefined {
  const stream = whole.streams.find(({ id, ulid }) => String(id) === idOrUlid || ulid === idOrUlid.toUpperCase());
  return stream && { whole, stream };
}

const create = route(streamRoutes.create, ({ body: { video_id: id, type, ...params }, user }) =>
  retryOnConflict(async () => {
    const ulid = await findUlid('video', String(id));
    const whole = ulid === undefined ? undefined : await findWholeVideo(ulid);
    if (!isVisible(whole, user)) throw new ValidationFailed({ video_id: ['The selected video id is invalid.'] });
    const request = { ...params, type: type as StreamEdit['type'] };
    const stream = await charged(whole, user, (by) => addStream(whole, request, by));
    return { data: serializeStream(whole.video, stream) };
  }),
);

const update = recordRoute(streamRoutes.update, findVisible, ({ found, params, body, user }) => {
  if (found.stream.type === 'original') {
    const message = 'The original is the uploaded file: it cannot be changed.';
    throw new ValidationFailed({ [Object.keys(body)[0] ?? 'name']: [message] });
  }
  return retryOnConflict(async () => {
    const { whole, stream } = await current(found, params.id);
    const change = (by: Charged) => changeStream(whole, stream, body, by);
    await (body.input_params ? charged(whole, user, change) : change({ by: user, quota: null }));
    const changed = await current(found, params.id);
    return { data: serializeStream(changed.whole.video, changed.stream) };
  });
});

const remove = recordRoute(streamRoutes.remove, findVisible, ({ found, params, user }) =>
  retryOnConflict(async () => {
    const { whole, stream } = await current(found, params.id);
    await removeStream(whole, stream, user);
  }),
);

/**
 * An edit that encodes, charged to the owner of the video. A conflict is reported only when the owner's quota is not
 * used up.
 */
async function charged<Result>(
  { video }: WholeVideo,
  by: User,
  edit: (charged: Charged) => Promise<Result>,
): Promise<Result> {
  const quota = await quotaOf(video.ownerUlid, by);
  try {
    return await edit({ by, quota });
  } catch (error) {
    const needed = { cpuMilliseconds: anyAmount.cpuMilliseconds };
    if (error instanceof Conflict) await requireQuota({ ulid: video.ownerUlid, quota }, [], needed);
    throw error;
  }
}

async function current({ whole }: Found, id: string): Promise<Found> {
  const now = await findWholeVideo(whole.video.ulid);
  const found = now && findStreamIn(now, id);
  if (!found) throw new NotFound();
  return found;
}

export const handler = createApiHandler([create, update, remove]);
