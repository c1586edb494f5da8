import * as z from 'zod';
import { captionKinds } from '../../../shared/captions/cue.ts';
import { contentTypes } from '../../../shared/media/content-types.ts';
import { imageTypes } from '../../../shared/media/image-header.ts';
import { outputFormats } from '../../../shared/media/output-formats.ts';
import { maxImageBytes } from '../../../shared/protocol/jobs.ts';
import { descriptionLimits, originalUrlSeconds, signedUrlSeconds } from '../../common/limits.ts';
import { metadataChanges, newMetadata, newTags, shownMetadata, shownTags, tags } from '../fields/description-fields.ts';
import {
  atLeastOne,
  integerBetween,
  integerId,
  name,
  publishedAs,
  queryInteger,
  shownText,
  timestamp,
  toMicroseconds,
  ulid,
  ulidInput,
  url,
} from '../fields/fields.ts';
import { futureInstant } from '../fields/instant.ts';
import { cursorInput, cursorMeta, paginationMeta } from '../fields/paging.ts';
import { clipRequest, shownClip, shownPicture, shownTracks } from '../fields/source-options.ts';
import { stream } from '../fields/stream-fields.ts';
import { template } from '../fields/template-fields.ts';
import { videoListQuery } from '../fields/video-list-query.ts';
import type { RouteDeclaration } from '../route-declaration.ts';
import { outputStatuses, playbackModes, videoStatuses } from '../statuses.ts';

const exampleUrl =
  'https://edge1.example.com/s/k1.1795341600.Vg5h0nXz0xJ2w3Yq.L3m0cXkq5vJ1r9TzWb8yNf2aHs7dUe4gQp6iKoMnRlE/videos/01KAH0Z5M2P4R6T8W0Y2A4C6E8';

const format = z.enum(outputFormats).meta({ id: 'Format' });

const output = z
  .object({
    ulid,
    format,
    status: z.enum(outputStatuses).meta({ id: 'OutputStatus' }),
    progress: z.int().min(0).max(100),
    streams: z.array(stream),
    name: z.string().nullable(),
    size: z.int().min(0).nullable(),
    error_log: z.string().nullable(),
    created_at: timestamp,
    playable_at: timestamp.nullable().meta({
      description: 'Since when the output plays, which may be while it is encoded; null while it does not.',
    }),
    completed_at: timestamp.nullable(),
  })
  .meta({ id: 'Output' });

const previewUrl = url.nullable().meta({
  description: 'A short animation without sound: an animated WebP image or an MP4 video. Null without one.',
});

const playback = z.enum(playbackModes);

const base = {
  id: z.int(),
  ulid,
  name: shownText(255),
  status: z.enum(videoStatuses).meta({ id: 'VideoStatus' }),
  duration: z.number().min(0).nullable().meta({ description: 'Seconds, up to 3 decimals; null before the probe.' }),
  aspect_ratio: z
    .string()
    .regex(/^[1-9][0-9]*:[1-9][0-9]*$/)
    .nullable(),
  thumbnail_path: z.string().nullable().meta({ description: 'Object key, not a URL.' }),
  template_id: z.int(),
  playback: playback.meta({
    description: 'public: the URLs of the video need no signature and do not expire. Default signed.',
  }),
  playable_at: timestamp.nullable().meta({ description: 'Since when an output plays; null while none does.' }),
  replace_error: z.string().nullable().meta({
    description:
      'Why the last file that was to replace the source was not used: a code and a sentence. Null from the next one on.',
  }),
  streams: z.array(stream),
  externalUserId: shownText(255).nullable(),
  externalResourceId: shownText(255).nullable(),
  metadata: shownMetadata,
  tags: shownTags,
  clip: shownClip,
  picture: shownPicture,
  tracks: shownTracks,
  source_video: ulid.nullable().meta({ description: 'The video of whose source it is a clip; it may be deleted.' }),
  expires_at: timestamp.nullable().meta({ description: 'When the video is deleted; null if it is kept.' }),
  created_at: timestamp,
};

export const videoListItem = z
  .object({
    ...base,
    poster_url: url.nullable().meta({
      description:
        'The same for an hour, for which clients can cache it; valid for at least six. Null without a poster, or while nothing delivers it.',
    }),
    preview_url: url.nullable().meta({
      description: 'A short animation without sound, in WebP or MP4, with a URL like that of the poster.',
    }),
  })
  .meta({ id: 'VideoListItem' });
export const video = z
  .object({
    ...base,
    template: template
      .nullable()
      .meta({ description: 'Null when the template was deleted before the upload was stored.' }),
    outputs: z.array(output),
  })
  .meta({ id: 'Video' });

const sources = z
  .object({
    sources: z.array(
      z
        .object({
          format,
          name: z.string().meta({ description: 'Of the output: two outputs may have one format.' }),
          url,
          status: z.enum(['running', 'completed']).meta({
            description:
              'running: the output plays while it is encoded. Its playlist grows, and its URL does not change.',
          }),
          media_type: z.string(),
          expires_at: timestamp.nullable().meta({ description: 'Null for a public video: its URLs do not expire.' }),
        })
        .meta({ id: 'Source' }),
    ),
    poster_url: url.nullable(),
    storyboard_url: url.nullable().meta({
      description: 'A WebVTT file whose cues name parts of images beside it: sprite-001.jpg#xywh=0,0,160,90.',
    }),
    preview_url: previewUrl,
    thumbnails: z
      .array(z.object({ at_seconds: z.number().min(0), url }).meta({ id: 'Thumbnail' }))
      .meta({ description: 'The images of the template, by time.' }),
    captions: z.array(
      z
        .object({
          language: z.string().meta({ description: 'BCP 47 tag.' }),
          kind: z.enum(captionKinds),
          label: z.string(),
          url,
        })
        .meta({ id: 'SourceCaptions' }),
    ),
  })
  .meta({
    id: 'Sources',
    examples: [
      {
        sources: [
          {
            format: 'hls',
            name: 'hls',
            url: `${exampleUrl}/01KAH0Z6C8Y1T3V5X7Z9B2D4F7/1/master.m3u8`,
            status: 'completed',
            media_type: contentTypes.m3u8,
            expires_at: '2026-11-22T10:00:00.000000Z',
          },
          {
            format: 'mp4',
            name: 'audio',
            url: `${exampleUrl}/r1/package-01-00000-a1/audio.m4a?name=Holiday%202026.m4a`,
            status: 'completed',
            media_type: contentTypes.m4a,
            expires_at: '2026-11-22T10:00:00.000000Z',
          },
        ],
        poster_url: `${exampleUrl}/thumbnails/poster.jpg`,
        storyboard_url: null,
        preview_url: `${exampleUrl}/thumbnails/preview.webp`,
        thumbnails: [{ at_seconds: 30, url: `${exampleUrl}/thumbnails/image-001.jpg` }],
        captions: [],
      },
    ],
  });

const videoTag = z
  .object({ tag: shownText(descriptionLimits.maxTagCharacters), videos: z.int().min(1) })
  .meta({ id: 'Tag' });

const original = z
  .object({
    url,
    filename: shownText(255).meta({ description: 'As it was uploaded.' }),
    size: z.int().min(0).meta({ description: 'Bytes.' }),
    expires_at: timestamp,
  })
  .meta({ id: 'Original' });

const validity = (seconds: { min: number; default: number; max: number }, description: string) =>
  queryInteger(seconds.min, seconds.max)
    .default(seconds.default)
    .meta(publishedAs({ ...integerBetween(seconds.min, seconds.max), default: seconds.default, description }));

const one = z.object({ data: video });

export const videoRoutes = {
  list: {
    operationId: 'listVideos',
    method: 'GET',
    path: '/api/videos',
    tag: 'Videos',
    summary: "The caller's videos",
    description:
      'By created_at, newest first. With a filter (status, template_id, external_user_id, tag, created_from, created_to, q) the list has no total: cursor continues it, and a page can have fewer videos than per_page, also none, while next_cursor is not null. All filters must match. meta.streams of an original is left out where it is longer than 8 KiB; read the single video for it. A page that would be too large for one response answers 422: use a smaller per_page. There is no POST (405): the event of a finished upload creates the video.',
    access: 'user',
    ability: 'videos:read',
    query: videoListQuery,
    emptyAllowed: ['external_user_id'],
    repeatedQuery: ['tag'],
    adminFields: ['user_id'],
    errors: ['transcript_search_unavailable'],
    status: 200,
    response: z.object({ data: z.array(videoListItem), meta: z.union([paginationMeta, cursorMeta]) }),
  },
  tags: {
    operationId: 'listTags',
    method: 'GET',
    path: '/api/tags',
    tag: 'Videos',
    summary: "The tags of the caller's videos",
    description: 'In order of their code points, each with the number of videos that have it.',
    access: 'user',
    ability: 'videos:read',
    query: z.object({
      per_page: queryInteger(1, 1000)
        .default(1000)
        .meta(publishedAs({ ...integerBetween(1, 1000), default: 1000 })),
      cursor: cursorInput(/^.{1,64}$/su),
      user_id: queryInteger(1)
        .optional()
        .meta({ description: 'Administrators only: list those of this user instead.' }),
    }),
    adminFields: ['user_id'],
    status: 200,
    response: z.object({ data: z.array(videoTag), meta: cursorMeta }),
  },
  get: {
    operationId: 'getVideo',
    method: 'GET',
    path: '/api/videos/{ulid}',
    tag: 'Videos',
    summary: 'Read a video',
    description: 'Owner or administrator; others get 404.',
    access: 'user',
    ability: 'videos:read',
    status: 200,
    response: one,
    errors: ['not_found'],
  },
  update: {
    operationId: 'updateVideo',
    method: 'PUT',
    path: '/api/videos/{ulid}',
    tag: 'Videos',
    summary: 'Change name, description, template, playback, expiry or owner',
    description:
      "Fields left out keep their values; tags are replaced as a whole, and metadata is merged. A new template_id must be a template of the caller or of the video's owner, or a shared one. It is used for encoding only while status is pending; while downloading, running or uploading it answers 409; afterwards it changes the reference, and POST /api/videos/{ulid}/reprocess encodes with it. playback public makes the URLs of sources stable and gives everyone who has one access without expiry; back to signed ends them within 60 seconds. user_id, the new owner, is for administrators.",
    access: 'user',
    ability: 'videos:write',
    body: atLeastOne(
      z.object({
        name: name.optional(),
        template_id: integerId.optional(),
        playback: playback.optional(),
        metadata: metadataChanges.optional(),
        tags: tags.optional(),
        expires_at: futureInstant.nullable().optional().meta({
          description: 'The video is deleted within 15 minutes after it; null keeps it.',
        }),
        user_id: integerId.optional(),
      }),
    ),
    bodyExample: { name: 'Holiday 2026', template_id: 3, metadata: { album: 'Summer' }, tags: ['family', 'sea'] },
    emptyAllowed: ['metadata'],
    adminFields: ['user_id'],
    status: 200,
    response: one,
    errors: ['concurrent_change', 'not_found', 'video_in_progress'],
  },
  remove: {
    operationId: 'deleteVideo',
    method: 'DELETE',
    path: '/api/videos/{ulid}',
    tag: 'Videos',
    summary: 'Delete a video, its streams, outputs and files',
    description:
      'A running execution is stopped first. The record is deleted at once for all readers; files are deleted in the background.',
    access: 'user',
    ability: 'videos:write',
    status: 204,
    errors: ['not_found'],
  },
  sources: {
    // The URLs authorize everyone who has them, and each response has new ones.
    cacheControl: 'no-store',
    operationId: 'videoSources',
    method: 'GET',
    path: '/api/videos/{ulid}/sources',
    tag: 'Videos',
    summary: 'Streaming URLs',
    description:
      'One entry for each output from its playable_at on, which may be while it is encoded; an empty list while none plays. All URLs are valid until expires_at, for the files of this video only; those of a public video are stable and do not expire. With &download=1 appended, the URL of an MP4 answers with a Content-Disposition that has the name of the video. In a stage that delivers through proxy nodes only, 503 with Retry-After when none is active.',
    access: 'user',
    ability: ['playback:read', 'videos:read'],
    query: z.object({ expires_in: validity(signedUrlSeconds, 'Validity of the URLs in seconds.') }),
    status: 200,
    response: sources,
    errors: ['no_proxy', 'not_found'],
  },
  original: {
    // The URL authorizes everyone who has it, and each response has a new one.
    cacheControl: 'no-store',
    operationId: 'videoOriginal',
    method: 'GET',
    path: '/api/videos/{ulid}/original',
    tag: 'Videos',
    summary: 'Download URL of the uploaded file',
    description:
      'The file as it was uploaded, from the store; a browser saves it under its name. A download that has begun before expires_at continues after it. 409 with source_deleted when the file is deleted, by the retention of its template or because it was not accepted.',
    access: 'user',
    ability: 'videos:read',
    query: z.object({ expires_in: validity(originalUrlSeconds, 'Validity of the URL in seconds.') }),
    status: 200,
    response: original,
    errors: ['not_found', 'source_deleted'],
  },
  poster: {
    operationId: 'setPoster',
    method: 'PUT',
    path: '/api/videos/{ulid}/poster',
    tag: 'Videos',
    summary: 'Make the poster from a frame or an image',
    description:
      'The frame that is shown at at_seconds, or an image of 64 to 8192 pixels a side: the body itself up to 4 MiB, or the upload of createPosterUpload up to 5 MiB. A worker makes the poster of it, in the size and format of the template; thumbnail_path changes when it is finished, and stays as it is if the frame or the image cannot be decoded. The image is decoded and encoded again, so nothing else in the file is delivered: its orientation is applied, transparent pixels show the background of the template, and of an animation the first frame is used. 409 unless the video is completed, and while another poster is being made; 422 outside of the duration, and for a file that is no such image. Processing the video again keeps the poster.',
    access: 'user',
    ability: 'videos:write',
    body: z
      .object({
        at_seconds: z.number().min(0).overwrite(toMicroseconds).optional(),
        upload: ulid.optional().meta({ description: 'Of createPosterUpload. Instead of at_seconds.' }),
      })
      .refine(({ at_seconds, upload }) => (at_seconds === undefined) !== (upload === undefined), {
        path: ['at_seconds'],
        error: 'Give either at_seconds or upload.',
      }),
    fileTypes: imageTypes.map((type) => `image/${type}`),
    bodyLimitBytes: 4 * 2 ** 20,
    bodyExample: { at_seconds: 12.5 },
    status: 202,
    response: one,
    errors: ['concurrent_change', 'not_found', 'poster_in_progress', 'source_deleted', 'video_not_completed'],
  },
  posterUpload: {
    operationId: 'createPosterUpload',
    method: 'POST',
    path: '/api/videos/{ulid}/poster/uploads',
    tag: 'Videos',
    summary: 'Get a URL for the image of a poster',
    description:
      'For images that are larger than the body of a request may be, 4 MiB. PUT the file, of exactly size bytes, to the URL within the hour, then name the upload in PUT /api/videos/{ulid}/poster. 409 unless the video is completed.',
    access: 'user',
    ability: 'videos:write',
    body: z.object({ size: z.int().min(1).max(maxImageBytes) }),
    bodyExample: { size: 4_500_000 },
    status: 201,
    response: z.object({ data: z.object({ ulid, url }) }),
    errors: ['not_found', 'video_not_completed'],
  },
  clip: {
    operationId: 'createClip',
    repeats: 'continued',
    method: 'POST',
    path: '/api/videos/{ulid}/clips',
    tag: 'Videos',
    summary: 'Make a video of a part of a video',
    description:
      'The source is copied inside the store, so nothing is uploaded, and the new video is processed like an upload of it with this clip. Times are seconds of the video, also where that is a clip itself; clip of the new video has those of the source. The caller must own the video. Without name and template, those of the video are used. The copy counts as uploaded bytes. 422 when the start is after the end of the video; a clip without a frame fails with INPUT_CLIP_EMPTY.',
    access: 'user',
    ability: 'videos:write',
    body: clipRequest({
      name: name.nullish(),
      template: ulidInput.nullish().meta({ description: 'ULID of a template of the caller, or of a shared one.' }),
      metadata: newMetadata,
      tags: newTags,
    }).meta({ id: 'CreateClip' }),
    bodyExample: { start_seconds: 12.5, end_seconds: 80, name: 'The first goal' },
    status: 201,
    response: one,
    errors: ['not_found', 'quota_exceeded', 'source_deleted'],
  },
  reprocess: {
    operationId: 'reprocessVideo',
    repeats: 'again',
    method: 'POST',
    path: '/api/videos/{ulid}/reprocess',
    tag: 'Videos',
    summary: 'Run the pipeline again',
    description:
      'For a completed or failed video (409 otherwise), which goes back to pending. Finished parts are reused when the template is the same. With another template everything is made again, and with force every job runs again, starting with the probe: changes of streams are discarded. 409 without either when a stream of an output that has failed was changed or deleted. 402 when the quota of the owner does not allow it. Existing outputs play until the new ones are complete. The body is optional.',
    access: 'user',
    ability: 'videos:write',
    body: z.object({ force: z.boolean().optional() }),
    bodyOptional: true,
    bodyExample: { force: true },
    status: 202,
    response: one,
    errors: ['not_found', 'quota_exceeded', 'source_deleted', 'streams_changed', 'video_in_progress'],
  },
} as const satisfies Record<string, RouteDeclaration>;

export const outputRoutes = {
  remove: {
    operationId: 'deleteOutput',
    method: 'DELETE',
    path: '/api/outputs/{ulid}',
    tag: 'Videos',
    summary: 'Delete a failed output',
    description: 'Only when status is failed, else 409. The video and its other outputs do not change.',
    access: 'user',
    ability: 'videos:write',
    status: 204,
    errors: ['not_found', 'output_not_failed'],
  },
} as const satisfies Record<string, RouteDeclaration>;
