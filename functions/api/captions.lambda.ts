import { parseCaptions } from '../../shared/captions/parse-captions.ts';
import { startTranscriptions } from '../aws/background-functions.ts';
import { readObject } from '../aws/object-store.ts';
import { addCaption } from '../captions/add-caption.ts';
import { deleteCaption } from '../captions/delete-caption.ts';
import { publishCaptions } from '../captions/publish-captions.ts';
import { transcriptText } from '../captions/transcript-text.ts';
import { uploadedCues } from '../captions/uploaded-cues.ts';
import { NotFound, ValidationFailed } from '../common/errors.ts';
import { parseUlid } from '../common/ids.ts';
import { languageLabel } from '../contracts/fields/caption-language.ts';
import { captionRoutes } from '../contracts/routes/caption-routes.ts';
import { createListSigner } from '../delivery/url-signer.ts';
import { readViewerOrigins } from '../delivery/viewer-origin.ts';
import { createApiHandler, recordRoute } from '../http/endpoint.ts';
import { respondOnce } from '../http/respond-once.ts';
import { serializeCaption } from '../serializers/serialize-caption.ts';
import type { Caption, User, Video } from '../table/records.ts';
import { findCaptions, sameTrack } from '../table/videos/caption-table.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { requestCaptions } from '../transcription/request-captions.ts';

/** The video, if it is visible to the user: only its owner and administrators can see it. */
async function findVisible({ params, user }: { params: { ulid: string }; user: User }): Promise<Video | undefined> {
  const ulid = parseUlid(params.ulid);
  const video = ulid === undefined ? undefined : await findVideo(ulid);
  return video && (video.ownerUlid === user.ulid || user.isAdmin) ? video : undefined;
}

/** The URLs are those of a list: the same for an hour, so that clients can cache the response. */
async function serialized(video: Video, captions: readonly Caption[]) {
  const [originOf, signerOf] = await Promise.all([readViewerOrigins({ ignoresLoad: true }), createListSigner()]);
  const origin = originOf(video.ulid);
  const signer = origin === undefined ? undefined : signerOf(video, origin);
  return captions.map((caption) => ({
    ...serializeCaption(caption, captions),
    url: caption.key === null || !signer ? null : signer.sign(caption.key),
  }));
}

const list = recordRoute(captionRoutes.list, findVisible, async ({ found: video }) => ({
  data: await serialized(video, (await findCaptions(video.ulid)).captions),
}));

const put = recordRoute(
  captionRoutes.put,
  findVisible,
  async ({ found: video, params, query, file, user, outcome }) => {
    if (!file?.bytes.length) throw new ValidationFailed({ file: ['Send the file as the body.'] });
    const { language } = params;
    const { kind, label = languageLabel(language), default: isDefault } = query;
    const cues = uploadedCues(file);
    const added = await addCaption(video, { language, kind, label, isDefault, origin: 'upload', cues }, user);
    await publishCaptions(video.ulid);
    if (added?.wasPending) await startTranscriptions(video.ulid);
    outcome.isReplaced = added?.isNew === false;
    const { captions } = await findCaptions(video.ulid);
    const stored = (await serialized(video, captions)).find(({ ulid }) => ulid === added?.caption.ulid);
    if (!stored) throw new NotFound();
    return { data: stored };
  },
);

const text = recordRoute(captionRoutes.text, findVisible, async ({ found: video, params, query }) => {
  const key = sameTrack(await findCaptions(video.ulid), { language: params.language, kind: query.kind })?.key ?? null;
  if (key === null) throw new NotFound();
  return transcriptText(parseCaptions(await readObject(key), 'vtt'));
});

const generate = recordRoute(captionRoutes.generate, findVisible, async ({ found: video, body, user }) => {
  const { language, replace: replaces = false } = body ?? {};
  const requested = await requestCaptions(video, { language, replaces }, user);
  const stored = (await serialized(video, [requested]))[0]!;
  return { data: stored };
});

const remove = recordRoute(captionRoutes.remove, findVisible, async ({ found: video, params, query, user }) => {
  const { wasPending } = await deleteCaption(video, { language: params.language, kind: query.kind }, user);
  await publishCaptions(video.ulid);
  if (wasPending) await startTranscriptions(video.ulid);
});

export const handler = createApiHandler([list, put, text, generate, remove], { respondOnce });
