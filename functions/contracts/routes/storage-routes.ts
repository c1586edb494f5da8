import * as z from 'zod';
import { atLeastOne, name, shownText, text, timestamp, ulid } from '../fields/fields.ts';
import type { RouteDeclaration } from '../route-declaration.ts';

/** Why a storage cannot be used. docs/storages.md explains each. */
export const storageErrorCodes = [
  'secret_missing',
  'credentials_refused',
  'role_refused',
  'role_open',
  'address_refused',
  'unreachable',
  'certificate',
  'redirected',
  'clock',
  'wrong_region',
  'no_bucket',
  'no_permission',
  'not_found',
  'store_full',
  'store_busy',
  'invalid_response',
  'refused',
] as const;

const used = z.int().min(0);

const storage = z
  .object({
    ulid,
    name: shownText(255),
    kind: z.enum(['s3']),
    endpoint: z.string().nullable().meta({ description: 'Null for AWS.' }),
    region: z.string(),
    bucket: z.string(),
    prefix: z.string().meta({ description: 'Empty, or ends with a slash. The service uses no keys outside of it.' }),
    path_style: z.boolean(),
    access_key_id: z.string().nullable(),
    role_arn: z.string().nullable(),
    external_id: z.string().nullable().meta({
      description: 'What the trust policy of the role has to require as sts:ExternalId. Null without a role.',
    }),
    trusted_account: z.string().nullable().meta({
      description: 'The AWS account that the trust policy of the role has to name. Null without a role.',
    }),
    used_by: z.object({ templates: used, deliveries: used, ingests: used }).meta({
      description: 'Templates that name it, and deliveries and ingests that have not ended.',
    }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Storage', description: 'secret_access_key is never returned.' });

const one = z.object({ data: storage });

const input = z.object({
  name,
  kind: z.enum(['s3']).optional(),
  endpoint: text(255).nullable().optional().meta({
    description: 'https address of the store, without a path. Without it, AWS in the region.',
  }),
  region: text(32).meta({ description: 'As the store names it; `auto` for R2 and Google Cloud Storage.' }),
  bucket: text(63),
  prefix: text(512).nullable().optional().meta({ description: 'Only keys below it are used.' }),
  path_style: z.boolean().optional().meta({
    description: 'The bucket is in the path of URLs instead of the host. Default true with an endpoint, else false.',
  }),
  access_key_id: text(128).nullable().optional(),
  secret_access_key: text(256).nullable().optional().meta({ writeOnly: true }),
  role_arn: text(600).nullable().optional().meta({
    description: 'Instead of an access key, on AWS: a role of another account, which the service assumes.',
  }),
});

const common = { tag: 'Storages', access: 'user', ability: 'templates:write' } as const;
const path = '/api/storages/{ulid}';

/** Buckets of users, from which files are fetched and to which results are delivered. */
export const storageRoutes = {
  list: {
    ...common,
    // The command line finds the storage of an ingest by its bucket.
    ability: ['templates:write', 'uploads:write'],
    operationId: 'listStorages',
    method: 'GET',
    path: '/api/storages',
    summary: "The caller's storages",
    description: 'In order of creation, at most 20. The answer never has a secret.',
    status: 200,
    response: z.object({ data: z.array(storage) }),
  },
  create: {
    ...common,
    operationId: 'createStorage',
    repeats: 'continued',
    method: 'POST',
    path: '/api/storages',
    summary: 'Add a storage',
    description:
      'A bucket in a store with the API of S3. Give access_key_id and secret_access_key, or on AWS role_arn: the answer then has the external id and the account for the trust policy of the role. The secret is kept in a secret store and never returned. The addresses of the store must be public. Nothing is sent to the store yet: `POST /api/storages/{ulid}/test` tries it. A user has at most 20 storages.',
    body: input,
    bodyExample: {
      name: 'Archive',
      endpoint: 'https://s3.example.com',
      region: 'eu-central-1',
      bucket: 'media-archive',
      prefix: 'videos/',
      access_key_id: 'EXAMPLEKEYID',
      secret_access_key: '<SECRET_ACCESS_KEY>',
    },
    status: 201,
    response: one,
    errors: ['storage_limit', 'concurrent_change'],
  },
  get: {
    ...common,
    ability: ['templates:write', 'uploads:write'],
    operationId: 'getStorage',
    method: 'GET',
    path,
    summary: 'Read a storage',
    status: 200,
    response: one,
    errors: ['not_found'],
  },
  update: {
    ...common,
    operationId: 'updateStorage',
    method: 'PUT',
    path,
    summary: 'Change a storage',
    description:
      'Fields left out keep their values. A new secret is used at once. Another endpoint needs the secret again. An access key replaces a role, and a role an access key. Deliveries and ingests that run continue with the changed storage.',
    body: atLeastOne(input.partial()),
    bodyExample: { name: 'Archive 2026', prefix: 'videos/2026/' },
    status: 200,
    response: one,
    errors: ['not_found', 'concurrent_change'],
  },
  remove: {
    ...common,
    operationId: 'deleteStorage',
    method: 'DELETE',
    path,
    summary: 'Delete a storage',
    description:
      'Its secret is deleted too. Nothing in the bucket changes. 409 while a template names it, or a delivery or an ingest of it has not ended.',
    status: 204,
    errors: ['not_found', 'storage_in_use'],
  },
  test: {
    ...common,
    operationId: 'testStorage',
    rate: 'targetTests',
    repeats: 'again',
    method: 'POST',
    path: '/api/storages/{ulid}/test',
    summary: 'Try a storage',
    description:
      'Writes, reads, lists and deletes one small object with a random name below the prefix. The answer is 200 also when a step fails: `ok` is false then, and the step says what to do. Steps after a failed one are left out, except that a written object is deleted. Listing is needed only by ingests of a whole prefix, so that `ok` does not depend on it.',
    status: 200,
    response: z.object({
      data: z.object({
        ok: z.boolean(),
        steps: z.array(
          z.object({
            step: z.enum(['open', 'write', 'read', 'list', 'delete']),
            ok: z.boolean(),
            code: z.enum(storageErrorCodes).optional().meta({ description: 'Why the step failed.' }),
            message: z.string().optional().meta({ description: 'Why, and what to do.' }),
          }),
        ),
      }),
    }),
    errors: ['not_found'],
  },
} as const satisfies Record<string, RouteDeclaration>;
