import * as z from 'zod';
import { presets } from '../../templates/presets.ts';
import { templateQuerySchema } from '../../templates/template-query.ts';
import { estimate, estimateSource } from '../fields/estimate-fields.ts';
import { atLeastOne, name } from '../fields/fields.ts';
import { storedQuery, template } from '../fields/template-fields.ts';
import type { RouteDeclaration } from '../route-declaration.ts';

const preset = z
  .object({
    slug: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
    name: z.string(),
    description: z.string(),
    query: storedQuery,
  })
  .meta({ id: 'Preset' });

const options = z.array(z.record(z.string(), z.unknown())).readonly();
const config = z
  .object({
    codecs: z.object({ video: options, audio: options }),
    resolutions: options,
    profiles: z.record(z.string(), z.array(z.string()).readonly()),
    formats: options,
    encoder_presets: z.array(z.string()).readonly(),
    defaults: z.record(z.string(), z.unknown()),
    limits: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'TemplatesConfig' });

const one = z.object({
  data: template,
  warnings: z.array(z.string()).meta({
    description:
      'What the query makes that may be unexpected, such as HLS that some devices do not play: one sentence each.',
  }),
});

/** Those who upload choose a template, and a video names its own. */
const readAbilities = ['templates:write', 'uploads:write', 'videos:read'] as const;

export const templateRoutes = {
  list: {
    operationId: 'listTemplates',
    method: 'GET',
    path: '/api/templates',
    tag: 'Templates',
    summary: "The caller's templates and the shared ones",
    description: 'Newest first.',
    access: 'user',
    ability: readAbilities,
    status: 200,
    response: z.object({ data: z.array(template) }),
  },
  create: {
    operationId: 'createTemplate',
    repeats: 'continued',
    method: 'POST',
    path: '/api/templates',
    tag: 'Templates',
    summary: 'Create a template',
    description:
      'query up to 64 KiB. With shared, which only administrators may send, every user can read and use the template.',
    access: 'user',
    ability: 'templates:write',
    body: z.object({ name, query: templateQuerySchema, shared: z.boolean().optional() }),
    adminFields: ['shared'],
    bodyExample: {
      name: 'Web default',
      query: presets[0].query,
    },
    status: 201,
    response: one,
  },
  get: {
    operationId: 'getTemplate',
    method: 'GET',
    path: '/api/templates/{id}',
    tag: 'Templates',
    summary: 'Read a template',
    description:
      'A template of the caller, a shared template, or a template of another user that a video of the caller uses, for example after the video was reassigned. The caller cannot list, change or delete the latter.',
    access: 'user',
    ability: readAbilities,
    status: 200,
    response: one,
    errors: ['not_found'],
  },
  update: {
    operationId: 'updateTemplate',
    method: 'PUT',
    path: '/api/templates/{id}',
    tag: 'Templates',
    summary: 'Change a template',
    description:
      'Fields left out keep their values; query is replaced as a whole. Videos already in processing keep the query that they started with. Only administrators change a shared template, also when another user owns it (403). With shared false, it is used by its owner only; videos of others that use it keep it.',
    access: 'user',
    ability: 'templates:write',
    body: atLeastOne(
      z.object({ name: name.optional(), query: templateQuerySchema.optional(), shared: z.boolean().optional() }),
    ),
    adminFields: ['shared'],
    bodyExample: { name: 'Web default v2' },
    status: 200,
    response: one,
    errors: ['concurrent_change', 'not_found'],
  },
  remove: {
    operationId: 'deleteTemplate',
    method: 'DELETE',
    path: '/api/templates/{id}',
    tag: 'Templates',
    summary: 'Delete a template',
    description:
      '409 while videos or open uploads refer to it: the message says how many. A shared template is deleted by administrators only (403).',
    access: 'user',
    ability: 'templates:write',
    status: 204,
    errors: ['concurrent_change', 'forbidden', 'not_found', 'template_in_use'],
  },
  listPresets: {
    operationId: 'listPresets',
    method: 'GET',
    path: '/api/template-presets',
    tag: 'Templates',
    summary: 'Built-in presets',
    description: 'In display order.',
    access: 'user',
    ability: readAbilities,
    status: 200,
    response: z.object({ data: z.array(preset) }),
  },
  adoptPreset: {
    operationId: 'adoptPreset',
    repeats: 'continued',
    method: 'POST',
    path: '/api/template-presets/{slug}/adopt',
    tag: 'Templates',
    summary: 'Create a template from a preset',
    description: "The body may be absent; the template then has the preset's name. Each call creates a new template.",
    access: 'user',
    ability: 'templates:write',
    body: z.object({ name: name.optional() }),
    bodyOptional: true,
    bodyExample: { name: 'My HLS' },
    status: 201,
    response: one,
    errors: ['not_found'],
  },
  config: {
    operationId: 'templatesConfig',
    method: 'GET',
    path: '/api/templates-config',
    tag: 'Templates',
    summary: 'Encoding options',
    description: 'Not wrapped.',
    access: 'user',
    ability: readAbilities,
    status: 200,
    response: config,
  },
  estimate: {
    operationId: 'estimate',
    method: 'POST',
    path: '/api/estimates',
    tag: 'Templates',
    summary: 'Estimate what a template makes of a source, and its costs',
    description:
      'Nothing is stored. Renditions and outputs are those that the source would get, if it has one stereo track, a constant frame rate and a bitrate that does not limit the ladder. The bitrate of a rendition with crf is the usual one for this quality, up to its cap. Bytes are without the overhead of containers, images and manifests. The range of CPU seconds is that of measured videos, from filmed scenes to noise. Costs are list prices of AWS for encoding and everything that a run needs, without storage and delivery; on own nodes and on one machine encoding costs what they cost. 422 also for a source that is too long for the template.',
    access: 'user',
    ability: readAbilities,
    body: z.object({ query: templateQuerySchema, source: estimateSource }),
    bodyExample: {
      query: presets[0].query,
      source: { width: 1920, height: 1080, fps: 30, duration_seconds: 600 },
    },
    status: 200,
    response: z.object({ data: estimate }),
  },
} as const satisfies Record<string, RouteDeclaration>;
