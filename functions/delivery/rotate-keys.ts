import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { nowSeconds } from '../../shared/clock.ts';
import { signedUrlSeconds } from '../common/limits.ts';
import { log } from '../common/log.ts';
import { listActiveProxies } from '../table/nodes/node-table.ts';
import { proxyAcceptsKey } from './accepts-key.ts';
import { readSigningKeys, type SigningKeys, writeSigningKeys } from './signing-keys.ts';

const input = z.object({ start: z.literal(true).optional() });

/** Instances that sign keep their keys for some minutes, so that the old one signs a little longer than it is current. */
const marginSeconds = 600;

/** All keys have to fit into one parameter of 4 KB. */
const mostKeys = 20;

export type Rotation =
  | { state: 'done'; current: string }
  | { state: 'distributing'; current: string; next: string; waitingFor: string[] }
  | { state: 'retiring'; current: string; retiring: SigningKeys['retiring'] };

/**
 * Replaces the signing key without breaking a link. `{"start": true}` makes a new key; every call, and the clock calls every five minutes, goes on
 * as far as it can: the proxies fetch the key within a minute, URLs are signed with it once every active proxy is seen to accept it, and the old one
 * goes when its last URL has expired. What is reached is in the parameter alone, so that a call may die or run twice at any point. A start while a new
 * key is being distributed changes nothing; old keys that have not expired yet are no hindrance.
 */
export async function handler(raw: unknown): Promise<Rotation> {
  const { start } = input.parse(raw ?? {});
  let keys = await readSigningKeys({ fresh: true });
  if (start && !keys.next && Object.keys(keys.keys).length < mostKeys) keys = await store(withNewKey(keys));
  const waitingFor = keys.next ? await proxiesWithout(keys.next, keys) : [];
  if (keys.next && waitingFor.length === 0) keys = await store(switched(keys, keys.next));
  if (keys.retiring.some(isOver)) keys = await store(withoutRetired(keys));
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

function switched({ current, keys, retiring }: SigningKeys, next: string): SigningKeys {
  const untilSeconds = nowSeconds() + signedUrlSeconds.max + marginSeconds;
  return { current: next, retiring: [...retiring, { id: current, untilSeconds }], keys };
}

const isOver = ({ untilSeconds }: SigningKeys['retiring'][number]): boolean => untilSeconds <= nowSeconds();

function withoutRetired(signing: SigningKeys): SigningKeys {
  const over = new Set(signing.retiring.filter(isOver).map(({ id }) => id));
  return {
    ...signing,
    retiring: signing.retiring.filter(({ id }) => !over.has(id)),
    keys: Object.fromEntries(Object.entries(signing.keys).filter(([id]) => !over.has(id))),
  };
}

/** Names of the active proxies that do not accept links of a key yet. */
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
