import { parseUlid } from '../../shared/ids.ts';
import type { Output, User, Video } from '../../shared/records.ts';
import { outputRoutes } from '../../shared/routes/videos.ts';
import { videoOf } from '../../shared/table/record-ids.ts';
import { deleteOutput } from '../../shared/table/video-changes.ts';
import { findWholeVideo } from '../../shared/table/videos.ts';
import { api, recordRoute } from '../http.ts';

type Found = { video: Video; output: Output };

async function visible({ params, user }: { params: { ulid: string }; user: User }): Promise<Found | undefined> {
  const ulid = parseUlid(params.ulid);
  const videoUlid = ulid === undefined ? undefined : await videoOf('output', ulid);
  const whole = videoUlid === undefined ? undefined : await findWholeVideo(videoUlid);
  const output = whole?.outputs.find((one) => one.ulid === ulid);
  if (!whole || !output || (whole.video.ownerUlid !== user.ulid && !user.isAdmin)) return undefined;
  return { video: whole.video, output };
}

const remove = recordRoute(outputRoutes.remove, visible, ({ found: { video, output }, user }) =>
  deleteOutput(video, output, user),
);

export const handler = api([remove]);
