import type { Command, Option } from './option.ts';

const template: Option = {
  type: 'string',
  short: 't',
  value: 'TEMPLATE',
  about: 'name, ULID or id of the template (OPEN_VIDEO_SERVICE_TEMPLATE)',
};
const wait: Option = { type: 'boolean', short: 'w', about: 'wait for the videos and print their playback URLs' };
const tag: Option = { type: 'string', multiple: true, value: 'TAG', about: 'a tag; repeat it for several' };
const metadata: Option = {
  type: 'string',
  multiple: true,
  value: 'KEY=VALUE',
  about: 'stored with the video; repeat it for several',
};
const description = {
  'external-user-id': { type: 'string', value: 'ID', about: 'your ID of the user, stored with the video' },
  'external-resource-id': { type: 'string', value: 'ID', about: 'your ID of the resource, stored with the video' },
  tag,
  metadata,
  rotate: { type: 'string', value: 'DEGREES', about: 'turn the picture clockwise by 90, 180 or 270 degrees' },
  picture: {
    type: 'string',
    value: 'JSON',
    about: 'crop, rotate, flip, deinterlace: instead of those of the template',
  },
  tracks: { type: 'string', value: 'JSON', about: 'the tracks that are used: instead of those of the template' },
} as const satisfies Record<string, Option>;
const clip = {
  start: { type: 'string', value: 'SECONDS', about: 'begin the video with the frame that is shown then' },
  end: { type: 'string', value: 'SECONDS', about: 'end the video before the frame that is shown then' },
} as const satisfies Record<string, Option>;
const days = {
  from: { type: 'string', value: 'DAY', about: 'the first day, UTC, such as 2026-11-01 (29 days before the last)' },
  to: { type: 'string', value: 'DAY', about: 'the last day, UTC (today)' },
} as const satisfies Record<string, Option>;
const parallelParts: Option = { type: 'string', value: 'N', about: 'parts of a file at the same time (4)' };
const parallelFiles: Option = { type: 'string', value: 'N', about: 'files at the same time (2)' };

const kind: Option = { type: 'string', value: 'KIND', about: 'captions, subtitles, forced or chapters (captions)' };
const language: Option = { type: 'string', short: 'l', value: 'TAG', about: 'language, such as de or pt-BR' };

const unlimited = Number.POSITIVE_INFINITY;

/** All commands. A name of two words is a command of a group, such as `videos get`. */
export const commandTable = {
  upload: {
    summary: 'upload files; a repeated command continues what was interrupted',
    operands: 'FILE…',
    minOperands: 1,
    maxOperands: unlimited,
    options: {
      template,
      wait,
      ...description,
      ...clip,
      'parallel-files': parallelFiles,
      'parallel-parts': parallelParts,
      restart: { type: 'boolean', about: 'upload from the beginning, also what earlier commands have uploaded' },
    },
  },
  watch: {
    summary: 'upload the files that appear in a folder',
    operands: 'FOLDER',
    minOperands: 1,
    maxOperands: 1,
    options: {
      template,
      ...description,
      recursive: { type: 'boolean', short: 'r', about: 'also in the folders below it' },
      extensions: { type: 'string', value: 'LIST', about: 'such as mp4,mov; * for all files (common video types)' },
      settle: { type: 'string', value: 'SECONDS', about: 'a file is complete when it stays unchanged so long (10)' },
      'move-to': { type: 'string', value: 'FOLDER', about: 'move a file there when its video is completed' },
      'delete-after': { type: 'boolean', about: 'delete a file when its video is completed' },
      'skip-existing': { type: 'boolean', about: 'at the first start, leave out the files that are there already' },
      once: { type: 'boolean', about: 'end when everything that is there is uploaded' },
      state: { type: 'string', value: 'FILE', about: 'what was uploaded (FOLDER/.open-video-service.json)' },
      'parallel-files': parallelFiles,
      'parallel-parts': parallelParts,
    },
  },
  ingest: {
    summary: 'let the service fetch files from URLs and storages',
    operands: 'URL…',
    minOperands: 1,
    maxOperands: unlimited,
    options: {
      template,
      wait,
      ...description,
      filename: { type: 'string', value: 'NAME', about: 'name of the video, for one URL (from the URL)' },
      storage: { type: 'string', value: 'ULID', about: 'of s3://BUCKET/KEY (the one with this bucket and prefix)' },
    },
  },
  batches: {
    summary: 'list the batches: files below a prefix of a storage, which the service fetches',
    operands: '',
    minOperands: 0,
    maxOperands: 0,
    options: {},
  },
  'batches add': {
    summary: 'let the service fetch all files below a prefix of a storage',
    operands: 's3://BUCKET/PREFIX',
    minOperands: 1,
    maxOperands: 1,
    options: {
      template,
      wait: { ...wait, about: 'wait until all files are fetched, and print how many' },
      ...description,
      limit: { type: 'string', value: 'N', about: 'at most so many files (1000)' },
      storage: { type: 'string', value: 'ULID', about: 'the storage (the one with this bucket and prefix)' },
    },
  },
  'batches stop': {
    summary: 'fetch no more files; those that are being fetched go on',
    operands: 'ULID',
    minOperands: 1,
    maxOperands: 1,
    options: {},
  },
  storages: {
    summary: 'list the storages: buckets of your own',
    operands: '',
    minOperands: 0,
    maxOperands: 0,
    options: {},
  },
  'storages add': {
    summary: 'add a storage; the secret is read from STORAGE_SECRET_ACCESS_KEY',
    operands: 'NAME',
    minOperands: 1,
    maxOperands: 1,
    options: {
      bucket: { type: 'string', value: 'NAME', about: 'the bucket' },
      region: { type: 'string', value: 'REGION', about: 'as the store names it (auto)' },
      endpoint: { type: 'string', value: 'URL', about: 'address of the store (AWS)' },
      prefix: { type: 'string', value: 'PREFIX', about: 'use keys below it only' },
      'access-key-id': { type: 'string', value: 'ID', about: 'of the store' },
      'role-arn': { type: 'string', value: 'ARN', about: 'instead of an access key, on AWS' },
    },
  },
  'storages test': {
    summary: 'write, read, list and delete one small object',
    operands: 'ULID',
    minOperands: 1,
    maxOperands: 1,
    options: {},
  },
  'storages delete': {
    summary: 'delete a storage and its secret, not the bucket',
    operands: 'ULID',
    minOperands: 1,
    maxOperands: 1,
    options: {},
  },
  videos: {
    summary: 'list videos, newest first',
    operands: '',
    minOperands: 0,
    maxOperands: 0,
    options: {
      status: { type: 'string', value: 'STATUS', about: 'pending, downloading, running, uploading, completed, failed' },
      search: { type: 'string', value: 'WORDS', about: 'beginnings of words of the name' },
      transcripts: { type: 'boolean', about: 'with --search: of words of captions too' },
      template,
      tag: { ...tag, about: 'with this tag; repeat it for videos with all of several' },
      'external-user-id': { type: 'string', value: 'ID', about: 'of this user of yours' },
      limit: { type: 'string', value: 'N', about: 'at most so many (20)' },
      cursor: { type: 'string', value: 'CURSOR', about: 'continue a list: next_cursor of its --json output' },
    },
  },
  'videos get': {
    summary: 'show a video with its outputs and playback URLs',
    operands: 'ULID',
    minOperands: 1,
    maxOperands: 1,
    options: {},
  },
  'videos set': {
    summary: 'change the name, tags, metadata or expiry of a video',
    operands: 'ULID',
    minOperands: 1,
    maxOperands: 1,
    options: {
      name: { type: 'string', value: 'NAME', about: 'its name' },
      tag: { ...tag, about: 'a tag, which replaces those that it has; repeat it for several' },
      'no-tags': { type: 'boolean', about: 'take all tags away' },
      metadata: { ...metadata, about: 'a pair; KEY= removes one; repeat it for several' },
      expires: { type: 'string', value: 'TIME', about: 'delete it at this time, such as 2027-01-31T12:00Z, or never' },
    },
  },
  'videos sources': {
    summary: 'print the playback URLs of a video',
    operands: 'ULID',
    minOperands: 1,
    maxOperands: 1,
    options: { 'expires-in': { type: 'string', value: 'SECONDS', about: 'validity of the URLs (21600)' } },
  },
  'videos original': {
    summary: 'print a download URL of the uploaded file',
    operands: 'ULID',
    minOperands: 1,
    maxOperands: 1,
    options: { 'expires-in': { type: 'string', value: 'SECONDS', about: 'validity of the URL (3600)' } },
  },
  'videos analytics': {
    summary: 'print views, watch time and delivered bytes of a video by day, and medians of its playback',
    operands: 'ULID',
    minOperands: 1,
    maxOperands: 1,
    options: days,
  },
  'videos wait': {
    summary: 'wait for videos and print their playback URLs',
    operands: 'ULID…',
    minOperands: 1,
    maxOperands: unlimited,
    options: {},
  },
  'videos clip': {
    summary: 'make a video of a part of a video',
    operands: 'ULID',
    minOperands: 1,
    maxOperands: 1,
    options: {
      ...clip,
      name: { type: 'string', value: 'NAME', about: 'name of the new video (that of the video)' },
      template: { ...template, about: 'name, ULID or id of its template (that of the video)' },
      wait,
    },
  },
  'videos reprocess': {
    summary: 'process a finished video again',
    operands: 'ULID',
    minOperands: 1,
    maxOperands: 1,
    options: { force: { type: 'boolean', about: 'encode everything again' }, wait },
  },
  'videos deliver': {
    summary: 'copy the files of a video to a storage',
    operands: 'ULID',
    minOperands: 1,
    maxOperands: 1,
    options: {
      storage: { type: 'string', value: 'ULID', about: 'ULID of the storage (that of the last delivery)' },
      path: { type: 'string', value: 'PATH', about: 'folders in the storage ({ulid}/{output}/)' },
      output: { type: 'string', value: 'NAME', multiple: true, about: 'an output; repeat it for several (all)' },
      also: {
        type: 'string',
        value: 'WHAT',
        multiple: true,
        about: 'poster, captions, original or metadata; repeat it for several',
      },
      wait,
    },
  },
  'videos poster': {
    summary: 'make a JPEG, PNG or WebP image the poster of a video',
    operands: 'ULID FILE',
    minOperands: 2,
    maxOperands: 2,
    options: {},
  },
  'videos replace': {
    summary: 'replace the source of a video by another file',
    operands: 'ULID FILE',
    minOperands: 2,
    maxOperands: 2,
    options: {},
  },
  'videos delete': {
    summary: 'delete videos with all their files',
    operands: 'ULID…',
    minOperands: 1,
    maxOperands: unlimited,
    options: { yes: { type: 'boolean', short: 'y', about: 'delete without a question' } },
  },
  captions: {
    summary: 'list the captions of a video',
    operands: 'ULID',
    minOperands: 1,
    maxOperands: 1,
    options: {},
  },
  'captions add': {
    summary: 'add a WebVTT or SubRip file to a video',
    operands: 'ULID FILE',
    minOperands: 2,
    maxOperands: 2,
    options: {
      language,
      kind,
      label: { type: 'string', value: 'LABEL', about: 'shown to viewers (the name of the language)' },
      default: { type: 'boolean', about: 'players show them unless the viewer chooses others' },
    },
  },
  'captions delete': {
    summary: 'delete captions of a video',
    operands: 'ULID',
    minOperands: 1,
    maxOperands: 1,
    options: { language, kind },
  },
  'captions generate': {
    summary: 'make captions of what is said in a video',
    operands: 'ULID',
    minOperands: 1,
    maxOperands: 1,
    options: {
      language: { type: 'string', short: 'l', value: 'TAG', about: 'spoken language, such as de (detected)' },
      replace: { type: 'boolean', about: 'replace captions of the language that exist' },
      wait: { type: 'boolean', short: 'w', about: 'wait until they are made' },
    },
  },
  'captions text': {
    summary: 'print captions as text with times',
    operands: 'ULID',
    minOperands: 1,
    maxOperands: 1,
    options: { language, kind },
  },
  templates: {
    summary: 'list the templates and the presets',
    operands: '',
    minOperands: 0,
    maxOperands: 0,
    options: {},
  },
  'templates adopt': {
    summary: 'create a template from a preset',
    operands: 'PRESET',
    minOperands: 1,
    maxOperands: 1,
    options: {
      name: { type: 'string', value: 'NAME', about: "name of the template (the preset's name)" },
      'if-missing': { type: 'boolean', about: 'a template that has the name already is no error' },
    },
  },
  images: {
    summary: 'list your images for watermarks',
    operands: '',
    minOperands: 0,
    maxOperands: 0,
    options: {},
  },
  'images add': {
    summary: 'upload an image for watermarks, and print its ULID',
    operands: 'FILE',
    minOperands: 1,
    maxOperands: 1,
    options: { name: { type: 'string', value: 'NAME', about: 'name of the image (that of the file)' } },
  },
  'images delete': {
    summary: 'delete an image that no template uses',
    operands: 'ULID',
    minOperands: 1,
    maxOperands: 1,
    options: {},
  },
  tokens: {
    summary: 'list your API tokens',
    operands: '',
    minOperands: 0,
    maxOperands: 0,
    options: {},
  },
  'tokens create': {
    summary: 'create an API token, which is shown once',
    operands: 'NAME',
    minOperands: 1,
    maxOperands: 1,
    options: {
      ability: {
        type: 'string',
        multiple: true,
        value: 'ABILITY',
        about: 'what it may do, such as videos:read; repeat it for several (everything)',
      },
      expires: { type: 'string', value: 'TIME', about: 'such as 30d, 12h, 2027-01-31 or 2027-01-31T12:00Z (never)' },
    },
  },
  'tokens delete': {
    summary: 'revoke an API token',
    operands: 'ID',
    minOperands: 1,
    maxOperands: 1,
    options: {},
  },
  usage: {
    summary: 'print what was uploaded, encoded, stored, delivered and watched by day',
    operands: '',
    minOperands: 0,
    maxOperands: 0,
    options: {
      ...days,
      metric: { type: 'string', value: 'NAME', about: 'one of them, such as delivered_bytes (all)' },
      'external-user-id': { type: 'string', value: 'ID', about: 'of this user of yours only' },
    },
  },
  events: {
    summary: 'print what happened to your videos in the last 7 days',
    operands: '',
    minOperands: 0,
    maxOperands: 0,
    options: {
      follow: { type: 'boolean', short: 'f', about: 'go on and print new events' },
      after: { type: 'string', value: 'CURSOR', about: 'print the events after this one only' },
      'cursor-file': {
        type: 'string',
        value: 'FILE',
        about: 'continue where the last command with this file ended',
      },
      types: { type: 'string', value: 'LIST', about: 'such as video.completed,video.failed (all)' },
      interval: { type: 'string', value: 'SECONDS', about: 'between two requests of --follow (5)' },
    },
  },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof commandTable;
