import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { nowSeconds } from '../../shared/clock.ts';
import { signedUrlSeconds } from '../common/limits.ts';
import { log } from '../common/log.ts';
import { listActiveProxies } from '../table/nodes/node-lists.ts';
import { proxyAcceptsKey } from './accepts-key.ts';
import { removeSigningKey } from './edge-keys.ts';
import { addToEdge, edgeAccepts } from './edge-signing-keys.ts';
import { readSigningKeys, type SigningKeys, writeSigningKeys } from './signing-keys.ts';

const input = z.object({ start: z.literal(true).optional() });

/** Instances cache the keys for some minutes, so the old key signs for a little longer than it is current. */
const marginSeconds = 600;

/** All keys must fit into one parameter of 4 KB. */
const maxKeys = 20;

export type Rotation =
  | { state: 'done'; current: string }
  | { state: 'distributing'; current: string; next: string; waitingFor: string[] }
  | { state: 'retiring'; current: string; retiring: SigningKeys['retiring'] };

/**
 * Rotates the signing key without invalidating signed URLs. `{"start": true}` creates a new key. Every call (a schedule
 * calls every five minutes) continues the rotation as far as possible: proxies fetch the new key within a minute, and
 * it is written for the distribution; it signs URLs as soon as all of them accept it; the old key is deleted when its
 * last URL has expired. The state is in the parameter alone, so a call may be interrupted or run twice. A start has no
 * effect while a new key is being distributed. Old keys that have not expired do not prevent a start.
 */
export async function handler(raw: unknown): Promise<Rotation> {
  const { start } = input.parse(raw ?? {});
  let keys = await readSigningKeys({ fresh: true });
  if (start && !keys.next && Object.keys(keys.keys).length < maxKeys) keys = await store(withNewKey(keys));
  keys = await storeChanged(keys, await addToEdge(keys));
  const waitingFor = keys.next ? await whoLacks(keys.next, keys) : [];
  if (keys.next && waitingFor.length === 0) keys = await store(withNextAsCurrent(keys, keys.next));
  if (keys.retiring.some(isExpired)) {
    for (const { id } of keys.retiring.filter(isExpired)) await removeSigningKey(id);
    keys = await store(withoutRetired(keys));
  }
  const rotation = describe(keys, waitingFor);
  log.info('key rotation', rotation);
  return rotation;
}

const storeChanged = async (before: SigningKeys, after: SigningKeys): Promise<SigningKeys> =>
  after === before ? before : store(after);

async function store(keys: SigningKeys): Promise<SigningKeys> {
  await writeSigningKeys(keys);
  return keys;
}

function withNewKey(keys: SigningKeys): SigningKeys {
  const next = `k${Number(keys.current.slice(1)) + 1}`;
  return { ...keys, next, keys: { ...keys.keys, [next]: randomBytes(32).toString('base64url') } };
}

function withNextAsCurrent({ next: _, ...signing }: SigningKeys, next: string): SigningKeys {
  const untilSeconds = nowSeconds() + signedUrlSeconds.max + marginSeconds;
  return { ...signing, current: next, retiring: [...signing.retiring, { id: signing.current, untilSeconds }] };
}

const isExpired = ({ untilSeconds }: SigningKeys['retiring'][number]): boolean => untilSeconds <= nowSeconds();

function withoutRetired(signing: SigningKeys): SigningKeys {
  const expired = new Set(signing.retiring.filter(isExpired).map(({ id }) => id));
  return {
    ...signing,
    retiring: signing.retiring.filter(({ id }) => !expired.has(id)),
    keys: Object.fromEntries(Object.entries(signing.keys).filter(([id]) => !expired.has(id))),
    ...(signing.edge && { edge: { ...signing.edge, ids: signing.edge.ids.filter((id) => !expired.has(id)) } }),
  };
}

/** `edge` and the host names of the active proxies that do not accept URLs signed with this key yet. */
async function whoLacks(keyId: string, signing: SigningKeys): Promise<string[]> {
  const proxies = await listActiveProxies();
  const secret = signing.keys[keyId]!;
  const accepted = await Promise.all(proxies.map((proxy) => proxyAcceptsKey(proxy, keyId, secret)));
  const lacking = proxies.filter((_, index) => !accepted[index]).map(({ hostname }) => hostname);
  return edgeAccepts(signing, keyId) ? lacking : ['edge', ...lacking];
}

function describe({ current, next, retiring }: SigningKeys, waitingFor: string[]): Rotation {
  if (next) return { state: 'distributing', current, next, waitingFor };
  return retiring.length === 0 ? { state: 'done', current } : { state: 'retiring', current, retiring };
}
