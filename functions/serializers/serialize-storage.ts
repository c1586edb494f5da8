import type * as z from 'zod';
import { readEnvironment } from '../../shared/environment.ts';
import type { storageRoutes } from '../contracts/routes/storage-routes.ts';
import { type Storage, usesOf } from '../table/storages/storage-table.ts';

type Shown = z.input<typeof storageRoutes.get.response>['data'];

export const serializeStorage = (storage: Storage): Shown => ({
  ulid: storage.ulid,
  name: storage.name,
  kind: storage.kind,
  endpoint: storage.endpoint,
  region: storage.region,
  bucket: storage.bucket,
  prefix: storage.prefix,
  path_style: storage.pathStyle,
  access_key_id: storage.accessKeyId,
  role_arn: storage.roleArn,
  external_id: storage.roleArn === null ? null : storage.externalId,
  trusted_account: storage.roleArn === null ? null : readEnvironment('ACCOUNT_ID'),
  used_by: usesOf(storage),
  created_at: storage.createdAt,
  updated_at: storage.updatedAt,
});
