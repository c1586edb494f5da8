import * as z from 'zod';
import { now, timestamp } from '../../../shared/clock.ts';
import { ConcurrentChange, ValidationFailed } from '../../common/errors.ts';
import { newUlid } from '../../common/ids.ts';
import { chosen } from '../../common/keyed-request.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { ConditionFailed, getItem, queryItems, transact, writeBatch } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { User } from '../records.ts';
import { webhookActivity } from '../writes/activity-writes.ts';

export const maxWebhooksPerUser = 20;

/** How long the secret before the present one signs too. */
export const oldSecretMilliseconds = 24 * 3600 * 1000;

const webhookRecord = z.object({
  ulid: z.string(),
  ownerUlid: z.string(),
  name: z.string(),
  url: z.string(),
  /** types of events, or `*` alone */
  events: z.array(z.string()),
  active: z.boolean(),
  /** null: events of all external users */
  externalUserId: z.string().nullable(),
  /** counts from 1; the secret is derived from it */
  secretVersion: z.int(),
  secretRotatedAt: z.string().nullable(),
  /** when the first of the failures began that no success has followed */
  failingSince: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  disabledAt: z.string().nullable(),
  disabledReason: z.string().nullable(),
});
export type Webhook = z.infer<typeof webhookRecord>;

type WebhookFields = Pick<Webhook, 'name' | 'url' | 'events' | 'active' | 'externalUserId'>;

/** Undefined fields keep their values. */
type WebhookChanges = { [Name in keyof WebhookFields]?: WebhookFields[Name] | undefined };

/**
 * Creates a webhook.
 * @throws ValidationFailed when the user has 20
 */
export async function createWebhook(fields: WebhookFields, owner: User): Promise<Webhook> {
  const createdAt = chosen('time', timestamp);
  const webhook: Webhook = {
    ulid: newUlid(),
    ownerUlid: owner.ulid,
    ...fields,
    secretVersion: 1,
    secretRotatedAt: null,
    failingSince: null,
    createdAt,
    updatedAt: createdAt,
    disabledAt: null,
    disabledReason: null,
  };
  try {
    await transact([
      {
        update: keys.userCounts(owner.ulid),
        add: { webhooks: 1 },
        when: { below: { webhooks: maxWebhooksPerUser } },
      },
      { put: { ...keys.webhook(owner.ulid, webhook.ulid), kind: 'webhook', ...webhook } },
      { put: { ...keys.id('webhook', webhook.ulid), kind: 'id', ulid: webhook.ulid, userUlid: owner.ulid } },
      webhookActivity(owner, webhook, 'created', `Created webhook ${webhook.name}`, shownProperties(webhook)),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    throw new ValidationFailed({ webhooks: [`A user has at most ${maxWebhooksPerUser} webhooks. Delete one first.`] });
  }
  return webhook;
}

const shownProperties = ({ name, url, events, active, externalUserId }: Webhook) => ({
  name,
  url,
  events,
  active,
  external_user_id: externalUserId,
});

/** A user's webhooks in order of creation. */
export const listWebhooks = async (ownerUlid: string): Promise<Webhook[]> =>
  (await queryItems(keys.webhook(ownerUlid, '').pk)).map((item) => webhookRecord.parse(item));

/** A webhook of any user, by its ULID. */
export async function findAnyWebhook(ulid: string): Promise<Webhook | undefined> {
  const found = await getItem(z.object({ userUlid: z.string() }), keys.id('webhook', ulid));
  return found && getItem(webhookRecord, keys.webhook(found.userUlid, ulid));
}

/** A webhook that a user may use: the user's own, and for administrators every one. */
export async function findWebhook({ ulid, isAdmin }: User, webhookUlid: string): Promise<Webhook | undefined> {
  return (
    (await getItem(webhookRecord, keys.webhook(ulid, webhookUlid))) ??
    (isAdmin ? findAnyWebhook(webhookUlid) : undefined)
  );
}

/**
 * Changes a webhook. Switching it on ends its being disabled.
 * @throws ConcurrentChange when it was deleted
 */
export async function updateWebhook(webhook: Webhook, changes: WebhookChanges, by: User): Promise<Webhook> {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const set = {
    ...(given as Partial<WebhookFields>),
    ...(changes.active === true && { disabledAt: null, disabledReason: null, failingSince: null }),
    updatedAt: timestamp(),
  };
  const changed = { ...webhook, ...set };
  await unlessGone([
    { update: keys.webhook(webhook.ownerUlid, webhook.ulid), set, when: { exists: true } },
    webhookActivity(by, webhook, 'updated', `Updated webhook ${changed.name}`, {
      old: shownProperties(webhook),
      attributes: shownProperties(changed),
    }),
  ]);
  return changed;
}

/**
 * Gives a webhook another secret. The present one signs for another 24 hours, the one before it no more.
 * @throws ConcurrentChange when it was deleted, or another call has rotated its secret
 */
export async function rotateSecret(webhook: Webhook, by: User): Promise<Webhook> {
  const { ulid, ownerUlid, secretVersion } = webhook;
  const at = timestamp();
  const set = { secretVersion: secretVersion + 1, secretRotatedAt: at, updatedAt: at };
  await unlessGone([
    { update: keys.webhook(ownerUlid, ulid), set, when: { equals: { secretVersion } } },
    webhookActivity(by, webhook, 'updated', `Rotated the secret of webhook ${webhook.name}`),
  ]);
  return { ...webhook, ...set };
}

/** Deletes a webhook; a second time does nothing. Its deliveries expire. */
export async function deleteWebhook(webhook: Webhook, by: User): Promise<void> {
  const { ulid, ownerUlid, name } = webhook;
  await tryTransact([
    { delete: keys.webhook(ownerUlid, ulid), when: { exists: true } },
    { delete: keys.id('webhook', ulid) },
    { update: keys.userCounts(ownerUlid), add: { webhooks: -1 } },
    webhookActivity(by, webhook, 'deleted', `Deleted webhook ${name}`, { name }),
  ]);
}

/** Deletes all webhooks of a user who is being deleted. */
export async function deleteWebhooks(ownerUlid: string): Promise<void> {
  const webhooks = await listWebhooks(ownerUlid);
  await writeBatch(
    webhooks.flatMap(({ ulid }) => [{ delete: keys.webhook(ownerUlid, ulid) }, { delete: keys.id('webhook', ulid) }]),
  );
}

/** Records that attempts fail from now on, unless that is recorded. */
export const markFailing = ({ ownerUlid, ulid }: Webhook): Promise<boolean> =>
  tryWrite({
    update: keys.webhook(ownerUlid, ulid),
    set: { failingSince: timestamp() },
    when: { equals: { failingSince: null } },
  });

/** Records that an attempt has succeeded after failures. */
export const markWorking = ({ ownerUlid, ulid }: Webhook): Promise<boolean> =>
  tryWrite({ update: keys.webhook(ownerUlid, ulid), set: { failingSince: null }, when: { exists: true } });

/** Ends all attempts to a webhook, until its owner switches it on again. False when it is not active. */
export const disableWebhook = ({ ownerUlid, ulid }: Webhook, disabledReason: string): Promise<boolean> =>
  tryWrite({
    update: keys.webhook(ownerUlid, ulid),
    set: { active: false, disabledAt: timestamp(), disabledReason, updatedAt: timestamp() },
    when: { equals: { active: true } },
  });

/** Versions of the secret that sign now. */
export const signingVersions = ({ secretVersion, secretRotatedAt }: Webhook): number[] =>
  secretRotatedAt !== null && Date.parse(secretRotatedAt) + oldSecretMilliseconds > now()
    ? [secretVersion, secretVersion - 1]
    : [secretVersion];

async function unlessGone(writes: Parameters<typeof transact>[0]): Promise<void> {
  if (!(await tryTransact(writes))) throw new ConcurrentChange('webhook');
}
