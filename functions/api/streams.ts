import { NotFound, ValidationFailed } from '../common/errors.ts';
import { parseUlid } from '../common/ids.ts';
import { streamRoutes } from '../contracts/routes/stream-routes.ts';
import { createApiHandler, recordRoute, route } from '../http/endpoint.ts';
import { serializeStream } from '../serializers/serialize-video.ts';
import { addStream } from '../stream-edits/add-stream.ts';
import { changeStream } from '../stream-edits/change-stream.ts';
import { removeStream } from '../stream-edits/remove-stream.ts';
import { retryOnConflict } from '../stream-edits/retry-on-conflict.ts';
import { findUlid, findVideoOfPart } from '../table/ids/find-by-id.ts';
import type { Stream, StreamEdit, User } from '../table/records.ts';
import { findWholeVideo, type WholeVideo } from '../table/videos/video-table.ts';

type Found = { whole: WholeVideo; stream: Stream };

const isVisible = (whole: WholeVideo | undefined, user: User): whole is WholeVideo =>
  whole !== undefined && (whole.video.ownerUlid === user.ulid || user.isAdmin);

async function findVisible({ params, user }: { params: { id: string }; user: User }): Promise<Found | undefined> {
  const videoUlid = await findVideoOfPart('stream', parseUlid(params.id) ?? params.id);
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
    const stream = await addStream(whole, user, { ...params, type: type as StreamEdit['type'] });
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
    await changeStream(whole, stream, user, body);
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

async function current({ whole }: Found, id: string): Promise<Found> {
  const now = await findWholeVideo(whole.video.ulid);
  const found = now && findStreamIn(now, id);
  if (!found) throw new NotFound();
  return found;
}

export const handler = createApiHandler([create, update, remove]);
