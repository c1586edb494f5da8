import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, test } from 'vitest';
import { continueBatches } from '../../../../functions/ingests/continue-batches.ts';
import { createBatch, findBatch } from '../../../../functions/table/ingests/ingest-batch-table.ts';
import { pageOfIngests } from '../../../../functions/table/ingests/ingest-table.ts';
import { createStorage, findStorage, recordFirstSecret } from '../../../../functions/table/storages/storage-table.ts';
import { countOpenUploads } from '../../../../functions/table/uploads/upload-table.ts';
import { expectSameWhateverFails } from '../../../../lab/faults/store/every-call.ts';
import { useFaultyStores } from '../../../../lab/faults/store/faulty-stores.ts';
import { buildStorage } from '../../../fixtures/records/build-storage.ts';
import { createIngestingPerson } from '../../../fixtures/records/ingesting-person.ts';
import { type HostileStore, startHostileStore } from '../../../fixtures/servers/hostile-store.ts';

const stores = useFaultyStores();
mockClient(LambdaClient).on(InvokeCommand).resolves({});
mockClient(SSMClient)
  .on(GetParameterCommand)
  .resolves({ Parameter: { Value: 'secret' } });

let store: HostileStore;
beforeAll(async () => {
  Object.assign(process.env, { PARAMETER_PREFIX: '/video-service/test', ALLOW_LOOPBACK_TARGETS: 'on' });
  store = await startHostileStore('films');
});
afterAll(() => store.close());

/** All combinations are several hundred; a sample runs by default. */
const every = Number(process.env.EVERY ?? 31);

test('a batch of ingests that is continued after each failed call has one ingest of each file', async () => {
  for (const key of ['a.mp4', 'b.mp4', 'd/e.mp4']) store.objects.set(key, { body: Buffer.alloc(5), headers: {} });
  for (const key of ['c/', 'f.empty']) store.objects.set(key, { body: Buffer.alloc(0), headers: {} });
  await expectSameWhateverFails(
    stores,
    {
      async arrange() {
        const { user, template } = await createIngestingPerson();
        const { ulid, ownerUlid, ...fields } = buildStorage({ endpoint: store.endpoint });
        const { ulid: storageUlid } = (await recordFirstSecret(await createStorage(fields, user)))!;
        const metadata = JSON.stringify({ template: template.ulid, externalUserId: null, externalResourceId: null });
        return { user, batch: await createBatch({ storageUlid, prefix: '', metadata, limit: 100 }, user) };
      },
      act: async ({ user }) => {
        if (await continueBatches(user.ulid)) throw new Error('the schedule continues it');
      },
      async look({ user, batch }) {
        const { ingests } = await pageOfIngests(user.ulid, { offset: 0, limit: 100 });
        const { status, created, skipped, removed, failed, position } = (await findBatch(user.ulid, batch.ulid))!;
        return {
          batch: { status, created, skipped, removed, failed, position },
          keys: ingests.map(({ storageKey, status: of }) => `${storageKey} ${of}`).toSorted(),
          openUploads: await countOpenUploads(user.ulid),
          uses: (await findStorage(user.ulid, batch.storageUlid))!.ingests,
        };
      },
    },
    every,
  );
});
