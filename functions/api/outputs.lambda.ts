import { parseUlid } from '../common/ids.ts';
import { outputRoutes } from '../contracts/routes/video-routes.ts';
import { createApiHandler, recordRoute } from '../http/endpoint.ts';
import type { Output, User, Video } from '../table/records.ts';
import { findVideoOfPart } from '../table/videos/find-by-id.ts';
import { deleteOutput } from '../table/videos/video-changes.ts';
import { findWholeVideo } from '../table/videos/video-table.ts';

type Found = { video: Video; output: Output };

async function findVisible({ params, user }: { params: { ulid: string }; user: User }): Promise<Found | undefined> {
  const ulid = parseUlid(params.ulid);
  const videoUlid = ulid === undefined ? undefined : await findVideoOfPart('output', ulid);
  const whole = videoUlid === undefined ? undefined : await findWholeVideo(videoUlid);
  const output = whole?.outputs.find((one) => one.ulid === ulid);
  if (!whole || !output || (whole.video.ownerUlid !== user.ulid && !user.isAdmin)) return undefined;
  return { video: whole.video, output };
}

const remove = recordRoute(outputRoutes.remove, findVisible, ({ found: { video, output }, user }) =>
  deleteOutput(video, output, user),
);

export const handler = createApiHandler([remove]);
