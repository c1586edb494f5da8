import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { nowSeconds } from '../../shared/clock.ts';
import { signedUrlSeconds } from '../common/limits.ts';
import { log } from '../common/log.ts';
import { listActiveProxies } from '../table/nodes/node-table.ts';
import { proxyAcceptsKey } from './accepts-key.ts';
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
 * calls every five minutes) continues the rotation as far as possible: proxies fetch the new key within a minute; it
 * signs URLs as soon as every active proxy accepts it; the old key is deleted when its last URL has expired. The state
 * is in the parameter alone, so a call may be interrupted or run twice. A start has no effect while a new key is being
 * distributed. Old keys that have not expired do not prevent a start.
 */
export async function handler(raw: unknown): Promise<Rotation> {
  const { start } = input.parse(raw ?? {});
  let keys = await readSigningKeys({ fresh: true });
  if (start && !keys.next && Object.keys(keys.keys).length < maxKeys) keys = await store(withNewKey(keys));
  const waitingFor = keys.next ? await proxiesWithout(keys.next, keys) : [];
  if (keys.next && waitingFor.length === 0) keys = await store(withNextAsCurrent(keys, keys.next));
  if (keys.retiring.some(isExpired)) keys = await store(withoutRetired(keys));
  const rotation = describe(keys, waitingFor);
  log.info('key rotation', rotation);
  return rotation;
}

async function store(keys: SigningKeys): Promise<SigningKeys> {
  await writeSigningKeys(keys);
  return keys;
}

function withNewKey(keys: SigningKeys): SigningKeys {
  const next = `k${Number(keys.current.slice(1)) + 1}`;
  return { ...keys, next, keys: { ...keys.keys, [next]: randomBytes(32).toString('base64url') } };
}

function withNextAsCurrent({ current, keys, retiring }: SigningKeys, next: string): SigningKeys {
  const untilSeconds = nowSeconds() + signedUrlSeconds.max + marginSeconds;
  return { current: next, retiring: [...retiring, { id: current, untilSeconds }], keys };
}

const isExpired = ({ untilSeconds }: SigningKeys['retiring'][number]): boolean => untilSeconds <= nowSeconds();

function withoutRetired(signing: SigningKeys): SigningKeys {
  const expired = new Set(signing.retiring.filter(isExpired).map(({ id }) => id));
  return {
    ...signing,
    retiring: signing.retiring.filter(({ id }) => !expired.has(id)),
    keys: Object.fromEntries(Object.entries(signing.keys).filter(([id]) => !expired.has(id))),
  };
}

/** Host names of the active proxies that do not accept URLs signed with this key yet. */
async function proxiesWithout(keyId: string, { keys }: SigningKeys): Promise<string[]> {
  const proxies = await listActiveProxies();
  const secret = keys[keyId]!;
  const accepted = await Promise.all(proxies.map((proxy) => proxyAcceptsKey(proxy, keyId, secret)));
  return proxies.filter((_, index) => !accepted[index]).map(({ hostname }) => hostname);
}

function describe({ current, next, retiring }: SigningKeys, waitingFor: string[]): Rotation {
  if (next) return { state: 'distributing', current, next, waitingFor };
  return retiring.length === 0 ? { state: 'done', current } : { state: 'retiring', current, retiring };
}
