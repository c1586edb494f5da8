import type * as z from 'zod';
import { fileDisposition } from '../../delivery/urls/download-name.ts';
import { nowSeconds, timestamp } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/environment.ts';
import { imageTypes } from '../../shared/media/image-header.ts';
import { posterUploadKey } from '../../shared/object-keys.ts';
import { startSweep } from '../aws/background-functions.ts';
import { startVideoExecution, stopExecution } from '../aws/executions.ts';
import { presignedDownload, presignedPut } from '../aws/object-store.ts';
import { BadRequest, Conflict, NotFound, ServiceUnavailable, SourceDeleted, unknownRecord } from '../common/errors.ts';
import { newUlid, parseUlid } from '../common/ids.ts';
import { pageMeta, pageOffset } from '../contracts/fields/paging.ts';
import { clipOf } from '../contracts/fields/source-options.ts';
import { isFiltered, type videoListQuery } from '../contracts/fields/video-list-query.ts';
import { embedTokenRoutes } from '../contracts/routes/embed-routes.ts';
import { jobRoutes } from '../contracts/routes/job-routes.ts';
import { videoRoutes } from '../contracts/routes/video-routes.ts';
import { isFinal } from '../contracts/statuses.ts';
import { refuseFurtherPublic } from '../delivery/public-limit.ts';
import { readSigningKeys } from '../delivery/signing-keys.ts';
import { createListSigner, createUrlSigner, type UrlSigner } from '../delivery/url-signer.ts';
import { readViewerOrigins } from '../delivery/viewer-origin.ts';
import { signEmbedToken } from '../embed/embed-token.ts';
import { embedUrl } from '../embed/embed-url.ts';
import type { FileBody } from '../http/call.ts';
import { createApiHandler, recordRoute, route } from '../http/endpoint.ts';
import { respondOnce } from '../http/respond-once.ts';
import { listJobs } from '../jobs/list-jobs.ts';
import { fitPage } from '../serializers/fit-page.ts';
import { serializeSources } from '../serializers/serialize-sources.ts';
import { serializeVideo, serializeVideoListItem } from '../serializers/serialize-video.ts';
import { refuseReplacedTracks } from '../stream-edits/refuse-replaced-tracks.ts';
import { completedOriginal, type PosterChoice, setPoster } from '../stream-edits/set-poster.ts';
import { sentPosterImage, storePosterImage } from '../stream-edits/uploaded-poster.ts';
import { quotaOf, selectUser } from '../table/accounts/user-table.ts';
import { probeJobId } from '../table/job-id.ts';
import { findJob } from '../table/jobs/job-table.ts';
import type { Template, User } from '../table/records.ts';
import { findAnyTemplate, findAnyTemplateById } from '../table/template-table.ts';
import { findCaptions } from '../table/videos/caption-table.ts';
import { hideVideo } from '../table/videos/hide-video.ts';
import { isOfOtherQuery, nextPlan, reprocessVideo } from '../table/videos/reprocess-video.ts';
import { requireSource, sourceFileName } from '../table/videos/source-of-video.ts';
import { listTags } from '../table/videos/tag-table.ts';
import { retryOnConflict } from '../table/videos/video-changed.ts';
import { changeVideo } from '../table/videos/video-changes.ts';
import { listMatchingVideos, listVideos } from '../table/videos/video-list.ts';
import { findVideo, findWholeVideo, type WholeVideo } from '../table/videos/video-table.ts';

import { createClip } from '../uploads/clip-of-video.ts';

/** The video, if it is visible to the user: only its owner and administrators can see it. */
async function findVisible({
  params,
  user,
}: {
  params: { ulid: string };
  user: User;
}): Promise<WholeVideo | undefined> {
  const ulid = parseUlid(params.ulid);
  const whole = ulid === undefined ? undefined : await findWholeVideo(ulid);
  return whole && (whole.video.ownerUlid === user.ulid || user.isAdmin) ? whole : undefined;
}

async function withTemplate(whole: WholeVideo) {
  return { data: serializeVideo(whole, await findAnyTemplate(whole.video.templateUlid)) };
}

/** The response after a change: the record is read again. */
async function readBack(ulid: string) {
  const whole = await findWholeVideo(ulid);
  if (!whole) throw new NotFound();
  return withTemplate(whole);
}

const list = route(videoRoutes.list, async ({ query, user }) => {
  const owner = query.user_id === undefined ? user : await selectUser(query.user_id);
  const { videos, meta } = isFiltered(query)
    ? await matchingPage(owner, query)
    : await numberedPage(owner, { ...query, page: query.page ?? 1 });
  const signerOf = await listSigners(videos);
  return { data: fitPage(videos.map((whole) => serializeVideoListItem(whole, signerOf(whole)))), meta };
});

async function numberedPage(owner: User, page: { page: number; per_page: number }) {
  const { total, videos } = await listVideos(owner.ulid, { offset: pageOffset(page), limit: page.per_page });
  return { videos, meta: pageMeta(page, total) };
}

async function matchingPage(owner: User, query: z.output<typeof videoListQuery>) {
  const { status, template_id: templateId, external_user_id, tag: tags, q: words, cursor, per_page } = query;
  const isInTranscript = query.in === 'transcript';
  if (isInTranscript && !readEnvironment('TRANSCRIPT_SEARCH')) {
    const message = 'This service does not search captions: leave in=transcript out, or ask its operator.';
    throw new Conflict('transcript_search_unavailable', message);
  }
  const { next, videos } = await listMatchingVideos(
    owner.ulid,
    // An empty text selects the videos without one.
    {
      status,
      templateId,
      tags,
      words,
      inTranscript: isInTranscript,
      externalUserId: external_user_id === '' ? null : external_user_id,
    },
    {
      cursor,
      limit: per_page,
      createdFromMilliseconds: query.created_from,
      createdToMilliseconds: query.created_to,
    },
  );
  return { videos, meta: { next_cursor: next ?? null, per_page } };
}

/** Signs the URLs of posters and previews for a list. Where none has one, no key is read. */
async function listSigners(videos: WholeVideo[]): Promise<(whole: WholeVideo) => UrlSigner['sign'] | undefined> {
  if (videos.every(({ video }) => video.thumbnailPath === null && video.previewPath === null)) return () => undefined;
  const [originOf, signerOf] = await Promise.all([readViewerOrigins({ ignoresLoad: true }), createListSigner()]);
  return ({ video }) => {
    const origin = originOf(video.ulid);
    return origin === undefined ? undefined : signerOf(video, origin).sign;
  };
}

const listTagsOf = route(videoRoutes.tags, async ({ query, user }) => {
  const owner = query.user_id === undefined ? user : await selectUser(query.user_id);
  const { tags, next } = await listTags(owner.ulid, { after: query.cursor, limit: query.per_page });
  return { data: tags, meta: { next_cursor: next ?? null, per_page: query.per_page } };
});

const get = recordRoute(videoRoutes.get, findVisible, ({ found }) => withTemplate(found));

const update = recordRoute(videoRoutes.update, findVisible, async ({ found: { video }, body, user }) => {
  const owner = body.user_id === undefined ? undefined : await selectUser(body.user_id);
  const owners = [user.ulid, video.ownerUlid, ...(owner ? [owner.ulid] : [])];
  // The video's present template may belong to a previous owner of the video.
  const isOther = body.template_id !== undefined && body.template_id !== video.templateId;
  const template = isOther ? await templateById(body.template_id!, owners) : undefined;
  if (body.playback === 'public' && video.playback !== 'public') await refuseFurtherPublic();
  const { name, playback, metadata, tags, expires_at: expiresAt } = body;
  const changed = await changeVideo(video, user, { name, template, owner, playback, metadata, tags, expiresAt });
  if (changed.playback !== video.playback) await startSweep();
  return readBack(video.ulid);
});

const remove = recordRoute(videoRoutes.remove, findVisible, async ({ found: { video, edits }, user }) => {
  const own = isFinal(video.status) ? null : video.executionArn;
  for (const executionArn of [own, ...edits.map((edit) => edit.executionArn)]) {
    if (executionArn) await stopExecution(executionArn, 'The video was deleted.');
  }
  await hideVideo(video, user);
  await startSweep();
});

/** Reads the video, its captions and the nodes at the same time. */
async function findWithOrigin(lookup: Parameters<typeof findVisible>[0]) {
  const ulid = parseUlid(lookup.params.ulid);
  if (ulid === undefined) return undefined;
  const [whole, { captions }, originOf] = await Promise.all([
    findVisible(lookup),
    findCaptions(ulid),
    readViewerOrigins(),
  ]);
  return whole && { whole, captions, origin: originOf(whole.video.ulid) };
}

const sources = recordRoute(videoRoutes.sources, findWithOrigin, async ({ found, query }) => {
  const { whole, captions, origin } = found;
  if (origin === undefined) throw new ServiceUnavailable('no_proxy', 'No active proxy node is available.', 60);
  return serializeSources(whole, captions, await createUrlSigner(whole.video, origin, query.expires_in));
});

const original = recordRoute(videoRoutes.original, findVisible, async ({ found: { video }, query }) => {
  // While it is being replaced, that which plays.
  const { refusal, sourceKey, sourceBytes } = video.replaced ?? video;
  requireSource({ ...video, refusal });
  const filename = await sourceFileName({ ...video, sourceKey });
  const seconds = query.expires_in;
  const expiresAt = timestamp((nowSeconds() + seconds) * 1000);
  const url = await presignedDownload(sourceKey, fileDisposition(filename), seconds);
  return { url, filename, size: sourceBytes, expires_at: expiresAt };
});

const jobs = recordRoute(jobRoutes.list, findVisible, ({ found, query, user }) => listJobs(found, query, user));
const createEmbedToken = recordRoute(embedTokenRoutes.create, findVisible, async ({ found: { video }, body }) => {
  const { expires_in: lifetimeSeconds, allowed_domains: allowedDomains = [] } = body;
  const claims = { videoUlid: video.ulid, expiresSeconds: nowSeconds() + lifetimeSeconds, allowedDomains };
  const token = signEmbedToken(claims, await readSigningKeys());
  return { token, url: embedUrl(video.ulid, token) };
});

const poster = recordRoute(videoRoutes.poster, findVisible, ({ found, body, file, user }) =>
  retryOnConflict(async () => {
    const whole = await findWholeVideo(found.video.ulid);
    if (!whole) throw new NotFound();
    await setPoster(whole, user, await posterChoice(whole, body, file));
    return readBack(found.video.ulid);
  }),
);

async function posterChoice(
  whole: WholeVideo,
  body: z.output<typeof videoRoutes.poster.body> | undefined,
  file: FileBody | undefined,
): Promise<PosterChoice> {
  if (body?.at_seconds !== undefined) return { posterSeconds: body.at_seconds };
  if (body?.upload !== undefined) return { posterUpload: await sentPosterImage(whole, body.upload) };
  const type = imageTypes.find((one) => file?.type === `image/${one}`);
  if (!type || !file) throw new BadRequest();
  return { posterUpload: await storePosterImage(whole, type, file.bytes) };
}

const posterUpload = recordRoute(videoRoutes.posterUpload, findVisible, async ({ found, body }) => {
  completedOriginal(found);
  const ulid = newUlid();
  return { data: { ulid, url: await presignedPut(posterUploadKey(found.video.ulid, ulid), 'public', body.size) } };
});

/** The caller's own video: an administrator does not get copies of other users' files. */
const findOwn = async (lookup: Parameters<typeof findVisible>[0]): Promise<WholeVideo | undefined> => {
  const whole = await findVisible(lookup);
  return whole?.video.ownerUlid === lookup.user.ulid ? whole : undefined;
};

const clip = recordRoute(videoRoutes.clip, findOwn, async ({ found: { video }, body, user }) => {
  const { name, template, metadata, tags } = body;
  const request = { clip: clipOf(body), name: name ?? undefined, template: template ?? undefined, metadata, tags };
  return readBack(await createClip(user, video, request));
});

const reprocess = recordRoute(videoRoutes.reprocess, findVisible, async ({ found, body, user }) => {
  const { video } = found;
  if (video.sourceDeletedAt !== undefined) throw new SourceDeleted();
  const template = await findAnyTemplate(video.templateUlid);
  const force = body.force === true;
  const replan = force || isOfOtherQuery(video, template);
  const probe = force ? await findJob(probeJobId(video)) : undefined;
  const quota = await quotaOf(video.ownerUlid, user);
  if (!replan) await refuseReplacedTracks(found, quota);
  if (!(await reprocessVideo(video, { replan, probe, quota, properties: force ? { force } : {} }, user))) {
    // An earlier call may have died between the transaction and the start of the execution: start it now.
    const current = await findVideo(video.ulid);
    if (current?.status === 'pending' && current.executionArn === null) await startVideoExecution(current);
    throw new Conflict('video_in_progress', 'The video or one of its streams is being processed.');
  }
  await startVideoExecution({
    ulid: video.ulid,
    planNumber: replan ? nextPlan(video) : video.planNumber,
    executionCount: video.executionCount + 1,
  });
  return readBack(video.ulid);
});

/** The template with this ID, if one of these users owns it or it is shared. */
async function templateById(id: number, ownerUlids: string[]): Promise<Template> {
  const template = await findAnyTemplateById(String(id));
  if (template && (template.shared || ownerUlids.includes(template.ownerUlid))) return template;
  throw unknownRecord('template_id');
}

export const handler = createApiHandler(
  [
    list,
    listTagsOf,
    get,
    update,
    remove,
    sources,
    original,
    createEmbedToken,
    jobs,
    poster,
    posterUpload,
    clip,
    reprocess,
  ],
  { respondOnce },
);
