import { readEnvironment } from '../../shared/environment.ts';
import { imageTypes } from '../../shared/media/image-header.ts';
import { imageKey } from '../../shared/object-keys.ts';
import { JobError, type JobErrorCode } from '../../shared/protocol/job-errors.ts';
import { watermarkSides } from '../../shared/protocol/jobs.ts';
import { createObject } from '../aws/object-store.ts';
import { checkedHeader } from '../common/checked-image.ts';
import { ValidationFailed } from '../common/errors.ts';
import { newUlid } from '../common/ids.ts';
import { imageRoutes } from '../contracts/routes/image-routes.ts';
import { templateRoutes } from '../contracts/routes/template-routes.ts';
import { estimateVideo } from '../estimates/estimate-video.ts';
import { createApiHandler, recordRoute, route } from '../http/endpoint.ts';
import { respondOnce } from '../http/respond-once.ts';
import { serializeEstimate } from '../serializers/serialize-estimate.ts';
import { serializeImage } from '../serializers/serialize-image.ts';
import { serializeTemplate } from '../serializers/serialize-template.ts';
import { announceImage, createImage, deleteImage, findImage, listImages as findImages } from '../table/image-table.ts';
import type { Template, User } from '../table/records.ts';
import {
  createTemplate,
  deleteTemplate,
  findChangeableTemplate,
  findReadableTemplate,
  listTemplates,
  updateTemplate,
} from '../table/template-table.ts';
import { closeStaleUploads } from '../table/uploads/upload-table.ts';
import { presets } from '../templates/presets.ts';
import { templateWarnings } from '../templates/template-warnings.ts';
import { templatesConfig } from '../templates/templates-config.ts';

type Sent = { query: Record<string, unknown> };

const findReadable = ({ params, user }: { params: { id: string }; user: User }) =>
  findReadableTemplate(user.ulid, params.id);

const findChangeable = ({ params, user }: { params: { id: string }; user: User }) =>
  findChangeableTemplate(user, params.id);

const responseOf = (found: Template) => ({
  data: serializeTemplate(found),
  warnings: templateWarnings(found.query, { hasSpeechModel: readEnvironment('TRANSCRIPTION') }),
});

const list = route(templateRoutes.list, async ({ user }) => ({
  data: (await listTemplates(user.ulid)).map(serializeTemplate),
}));

// The query is stored and returned as it was sent, without the defaults that parsing adds: those may change.
const create = route(templateRoutes.create, async ({ body: { name, shared = false }, rawBody, user }) => ({
  ...responseOf(await createTemplate(user.ulid, { name, query: (rawBody as Sent).query, shared })),
}));

const get = recordRoute(templateRoutes.get, findReadable, async ({ found }) => responseOf(found));

const update = recordRoute(templateRoutes.update, findChangeable, async ({ found, body, rawBody, user }) => {
  const { name, shared } = body;
  const changes = { name, query: (rawBody as Partial<Sent>).query, shared };
  return responseOf(await updateTemplate(found, changes, user));
});

const remove = recordRoute(templateRoutes.remove, findChangeable, async ({ found, user }) => {
  // Abandoned uploads would refer to the template forever and prevent its deletion.
  await closeStaleUploads(found.ownerUlid);
  await deleteTemplate(found, user);
});

const listPresets = route(templateRoutes.listPresets, async () => ({ data: [...presets] }));

const adoptPreset = recordRoute(
  templateRoutes.adoptPreset,
  async ({ params }) => presets.find(({ slug }) => slug === params.slug),
  async ({ found: { slug, name, query }, body, user }) =>
    responseOf(await createTemplate(user.ulid, { name: body.name ?? name, query, preset: slug })),
);

const config = route(templateRoutes.config, async () => templatesConfig);

/** The fields of an estimate that make a run impossible. */
const estimateFields: Partial<Record<JobErrorCode, string>> = {
  INPUT_TOO_LARGE: 'source.duration_seconds',
  INPUT_CROP_EMPTY: 'query.picture.crop',
};

const estimate = route(templateRoutes.estimate, async ({ body: { query, source } }) => {
  const { duration_seconds: durationSeconds, ...picture } = source;
  const task = {
    cpuUnits: readEnvironment('TASK_CPU_UNITS'),
    memoryMib: readEnvironment('TASK_MEMORY_MIB'),
    scratchGib: readEnvironment('TASK_SCRATCH_GIB'),
  };
  try {
    const service = { task, hasSpeechModel: readEnvironment('TRANSCRIPTION') };
    return { data: serializeEstimate(estimateVideo(query, { ...picture, durationSeconds }, service)) };
  } catch (error) {
    const field = error instanceof JobError && estimateFields[error.code];
    if (!field) throw error;
    throw new ValidationFailed({ [field]: [error.message] });
  }
});

const listImages = route(imageRoutes.list, async ({ user }) => ({
  data: await Promise.all((await findImages(user.ulid)).map(serializeImage)),
}));

const addImage = route(imageRoutes.create, async ({ query: { name }, file, user }) => {
  const { bytes, type: sentType } = file ?? { bytes: Buffer.alloc(0), type: '' };
  const type = imageTypes.find((one) => sentType === `image/${one}`);
  const { isComplete: _, ...header } = checkedHeader(bytes, { field: 'image', type, sides: watermarkSides });
  const ulid = newUlid();
  await announceImage(user.ulid, ulid);
  await createObject(imageKey(ulid), bytes, sentType);
  return { data: await serializeImage(await createImage(user, { ulid, name, ...header, bytes: bytes.length })) };
});

const removeImage = recordRoute(
  imageRoutes.remove,
  ({ params, user }) => findImage(user, params.ulid),
  ({ found, user }) => deleteImage(found, user),
);

const templates = [list, create, get, update, remove, listPresets, adoptPreset, config, estimate];
export const handler = createApiHandler([...templates, listImages, addImage, removeImage], { respondOnce });
