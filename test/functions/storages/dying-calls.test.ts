import { AsyncLocalStorage } from 'node:async_hooks';
import { DeleteParameterCommand, ParameterNotFound, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/api/storages.lambda.ts';
import { documents } from '../../../functions/aws/table-client.ts';
import { reconcileStorageSecrets } from '../../../functions/reconcile/reconcile-storage-secrets.ts';
import { queryItems } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { listStoragesToRemove } from '../../../functions/table/storages/storage-table.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

/** A call of the API that dies before one of its calls to the table or to Parameter Store. */
type DyingCall = {
  calls: number;
  dieAt: number;
  /** what another call does meanwhile, and before which call */
  other: () => Promise<unknown>;
  otherAt: number;
};
const dying = new AsyncLocalStorage<DyingCall>();

async function beforeCall(input: object): Promise<void> {
  const call = dying.getStore();
  // Those before it find the user, and are the same in each call of the API.
  if (!call || (call.calls === 0 && !JSON.stringify(input).includes('STORAGE#'))) return;
  const position = call.calls++;
  if (position === call.otherAt) await dying.exit(call.other);
  if (position >= call.dieAt) throw new Error('the process has died');
}

/** What Parameter Store has. */
const stored = new Set<string>();
const ssm = mockClient(SSMClient);
ssm.on(PutParameterCommand).callsFake(async ({ Name }) => {
  await beforeCall({});
  stored.add(Name);
  return {};
});
ssm.on(DeleteParameterCommand).callsFake(async ({ Name }) => {
  await beforeCall({});
  if (!stored.delete(Name)) throw new ParameterNotFound({ message: 'none', $metadata: {} });
  return {};
});

beforeAll(() => {
  Object.assign(process.env, { PARAMETER_PREFIX: '/test', STORAGES_KMS_KEY: 'arn:aws:kms:key', ACCOUNT_ID: '1' });
  documents.middlewareStack.add(
    (next) => async (args) => {
      await beforeCall(args.input);
      return next(args);
    },
    { step: 'initialize', name: 'dyingCalls' },
  );
});
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => {
  documents.middlewareStack.remove('dyingCalls');
  vi.useRealTimers();
});

const fields = {
  name: 'Archive',
  region: 'eu-central-1',
  bucket: 'media-archive',
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  secret_access_key: 'secret',
};
const role = { access_key_id: null, role_arn: 'arn:aws:iam::111122223333:role/media' };
/** All combinations are several hundred; by default a sample, and those that die right after the other call. */
const every = Number(process.env.EVERY ?? 11);
const limits = { untilMilliseconds: Number.POSITIVE_INFINITY, concurrency: 1 };

test('whichever call of a storage dies, and whatever another one does meanwhile, only its present secret stays', async () => {
  const { token, user } = await createPerson();
  const storages = () => listStoragesToRemove(user.ulid);
  const send = (route: `${string} /${string}`, body?: unknown) => callHandler(handler, route, { token, body });
  const ofStorage = (method: string, body?: unknown) => async (): Promise<void> => {
    const [storage] = await dying.exit(storages);
    if (storage) await send(`${method} /api/storages/${storage.ulid}`, body);
  };
  const change = ofStorage('PUT', { secret_access_key: 'another' });
  const remove = ofStorage('DELETE');
  const acts = {
    create: async (): Promise<void> => void (await send('POST /api/storages', fields)),
    change,
    changeToRole: ofStorage('PUT', role),
    remove,
  };
  const others = { nothing: async () => undefined, change, remove };
  let tries = 0;
  let deaths = 0;
  let leftBehind = 0;

  async function tryOut(name: keyof typeof acts, other: keyof typeof others, otherAt: number, dieAt: number) {
    if (name !== 'create') await acts.create();
    const call = { calls: 0, dieAt, other: others[other], otherAt };
    await dying.run(call, acts[name]);
    const before = stored.size;
    vi.setSystemTime(Date.now() + 11 * 60_000);
    await reconcileStorageSecrets(limits);
    leftBehind += before - stored.size;
    const kept = (await storages()).map(({ ulid, secretVersion }) => [ulid, secretVersion]);
    const wanted = kept.flatMap(([ulid, version]) => (version === 0 ? [] : [`/test/storages/${ulid}/${version}`]));
    const which = `${name} that dies at ${dieAt}, ${other} before ${otherAt}`;
    expect([...stored], which).toEqual(wanted);
    const hidden = (await storages()).filter(({ deletedAt }) => deletedAt !== undefined);
    expect(hidden, which).toEqual([]);
    for (const [ulid] of kept) {
      await send(`DELETE /api/storages/${ulid}`);
      vi.setSystemTime(Date.now() + 11 * 60_000);
      await reconcileStorageSecrets(limits);
      expect(await queryItems(keys.secretCheck(String(ulid), 0).pk), which).toEqual([]);
    }
    if (call.calls > dieAt) deaths++;
    return call.calls;
  }

  for (const name of Object.keys(acts) as (keyof typeof acts)[]) {
    const whole = await tryOut(name, 'nothing', 0, Number.POSITIVE_INFINITY);
    for (const other of Object.keys(others) as (keyof typeof others)[]) {
      for (let otherAt = 0; otherAt < (other === 'nothing' ? 1 : whole); otherAt++) {
        for (let dieAt = otherAt; dieAt <= whole; dieAt++) {
          if (dieAt === otherAt + 1 || ++tries % every === 0) await tryOut(name, other, otherAt, dieAt);
        }
      }
    }
  }
  expect(deaths).toBeGreaterThan(20);
  // Otherwise no call would have left a secret for reconcile.
  expect(leftBehind).toBeGreaterThan(5);
}, 120_000);
