import { NotFound, unknownRecord, ValidationFailed } from '../common/errors.ts';
import { streamRoutes } from '../contracts/routes/stream-routes.ts';
import { createApiHandler, recordRoute, route } from '../http/endpoint.ts';
import { respondOnce } from '../http/respond-once.ts';
import { serializeStream } from '../serializers/serialize-video.ts';
import { addStream } from '../stream-edits/add-stream.ts';
import { changeStream } from '../stream-edits/change-stream.ts';
import { removeStream } from '../stream-edits/remove-stream.ts';
import { quotaOf } from '../table/accounts/user-table.ts';
import type { Stream, StreamEdit, User } from '../table/records.ts';
import type { Charged } from '../table/stream-edits/edited-streams.ts';
import { findUlid, findVideoOfPart } from '../table/videos/find-by-id.ts';
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
    if (!isVisible(whole, user)) throw unknownRecord('video_id');
    const request = { ...params, type: type as StreamEdit['type'] };
    const stream = await addStream(whole, request, await chargedFor(whole, user));
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
    const charged = body.input_params ? await chargedFor(whole, user) : { by: user, quota: null };
    await changeStream(whole, stream, body, charged);
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

/** An edit that encodes is charged to the owner of the video. */
const chargedFor = async ({ video }: WholeVideo, by: User): Promise<Charged> => ({
  by,
  quota: await quotaOf(video.ownerUlid, by),
});

async function current({ whole }: Found, id: string): Promise<Found> {
  const now = await findWholeVideo(whole.video.ulid);
  const found = now && findStreamIn(now, id);
  if (!found) throw new NotFound();
  return found;
}

export const handler = createApiHandler([create, update, remove], { respondOnce });
