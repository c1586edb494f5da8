import type * as z from 'zod';
import { startIngests } from '../../aws/background-functions.ts';
import { unknownRecord, ValidationFailed } from '../../common/errors.ts';
import { parseUlid } from '../../common/ids.ts';
import { ingestBatchRoutes } from '../../contracts/routes/ingest-routes.ts';
import { recordRoute, route } from '../../http/endpoint.ts';
import {
  createBatch,
  endBatch,
  findBatch,
  type IngestBatch,
  listBatches,
} from '../../table/ingests/ingest-batch-table.ts';
import type { User } from '../../table/records.ts';
import { findStorage, unknownStorage } from '../../table/storages/storage-table.ts';
import { findUsableTemplate } from '../../table/template-table.ts';

const defaultLimit = 1000;
const maxListed = 100;

const create = route(ingestBatchRoutes.create, async ({ body, user }) => {
  const { storage: storageUlid, metadata, limit = defaultLimit } = body;
  const storage = await findStorage(user.ulid, storageUlid);
  if (!storage) throw unknownStorage();
  const { prefix = storage.prefix } = body;
  if (!prefix.startsWith(storage.prefix)) {
    const message = `The prefix must begin with ${storage.prefix}, the prefix of the storage.`;
    throw new ValidationFailed({ prefix: [{ code: 'format', message }] });
  }
  if (metadata.replaces !== undefined) {
    throw new ValidationFailed({ 'metadata.replaces': ['Many files cannot be the source of one video.'] });
  }
  if (!(await findUsableTemplate(user.ulid, metadata.template ?? ''))) throw unknownRecord('metadata.template');
  const fields = { storageUlid, prefix, metadata: JSON.stringify(metadata), limit };
  const batch = await createBatch(fields, user);
  await startIngests({ userUlid: user.ulid });
  return { data: show(batch) };
});

const list = route(ingestBatchRoutes.list, async ({ user }) => ({
  data: (await listBatches(user.ulid, maxListed)).map(show),
}));

const find = async ({ params, user }: { params: { ulid: string }; user: User }): Promise<IngestBatch | undefined> => {
  const ulid = parseUlid(params.ulid);
  return ulid === undefined ? undefined : findBatch(user.ulid, ulid);
};

const get = recordRoute(ingestBatchRoutes.get, find, async ({ found }) => ({ data: show(found) }));

const remove = recordRoute(ingestBatchRoutes.remove, find, async ({ found, user }) => {
  await endBatch(found, 'cancelled', { by: user });
});

type Shown = z.input<typeof ingestBatchRoutes.get.response>['data'];

const show = (batch: IngestBatch): Shown => ({
  ulid: batch.ulid,
  storage: batch.storageUlid,
  prefix: batch.prefix,
  limit: batch.limit,
  status: statusOf(batch),
  created: batch.created,
  skipped: batch.skipped,
  stored: batch.stored,
  failed: batch.failed,
  removed: batch.removed,
  error: batch.error,
  created_at: batch.createdAt,
  ended_at: batch.endedAt,
});

function statusOf({ status, created, stored, failed, removed }: IngestBatch): Shown['status'] {
  if (status !== 'listed') return status;
  return stored + failed + removed < created ? 'fetching' : 'completed';
}

export const batchEndpoints = [create, list, get, remove];
