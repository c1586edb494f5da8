import { timestamp } from '../../shared/clock.ts';
import { targetProblem } from '../../shared/target-url.ts';
import { userTargets } from '../common/allowed-targets.ts';
import { mapBounded } from '../common/concurrency.ts';
import { Conflict, ValidationFailed } from '../common/errors.ts';
import { newUlid, parseUlid } from '../common/ids.ts';
import { eventTypes, isAdministratorEvent, testEventType } from '../contracts/event-types.ts';
import { eventRoutes, webhookRoutes } from '../contracts/routes/webhook-routes.ts';
import { createApiHandler, recordRoute, route } from '../http/endpoint.ts';
import { respondOnce } from '../http/respond-once.ts';
import { serializeDelivery, serializeWebhook } from '../serializers/serialize-webhook.ts';
import { selectUser } from '../table/accounts/user-table.ts';
import type { User } from '../table/records.ts';
import { listEvents } from '../table/webhooks/event-table.ts';
import {
  addTestDelivery,
  type Delivery,
  deliveriesSince,
  findDelivery,
  listDeliveries,
  listFailedDeliveries,
  recordResend,
  sendAgain,
} from '../table/webhooks/webhook-deliveries.ts';
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
  type Webhook,
} from '../table/webhooks/webhook-table.ts';
import { type EventBody, eventBody } from '../webhooks/events/event-body.ts';
import { bodyOf } from '../webhooks/events/event-data.ts';
import { startSender } from '../webhooks/start-sender.ts';
import { webhookSecret } from '../webhooks/webhook-secret.ts';

type Named = { params: { ulid: string }; user: User };

const findNamed = async ({ params, user }: Named): Promise<Webhook | undefined> => {
  const ulid = parseUlid(params.ulid);
  return ulid === undefined ? undefined : findWebhook(user, ulid);
};

const list = route(webhookRoutes.list, async ({ query, user }) => {
  const owner = query.user_id === undefined ? user : await selectUser(query.user_id);
  return { data: (await listWebhooks(owner.ulid)).map(serializeWebhook) };
});

const create = route(webhookRoutes.create, async ({ body, user }) => {
  const { name, url, events, active = true, external_user_id: externalUserId = null } = body;
  checkFields({ url, events }, user);
  const webhook = await createWebhook({ name, url, events, active, externalUserId }, user);
  return { data: serializeWebhook(webhook), secret: await webhookSecret(webhook) };
});

const get = recordRoute(webhookRoutes.get, findNamed, async ({ found }) => ({ data: serializeWebhook(found) }));

const update = recordRoute(webhookRoutes.update, findNamed, async ({ found, body, user }) => {
  const { external_user_id: externalUserId, ...fields } = body;
  checkFields(fields, user);
  return { data: serializeWebhook(await updateWebhook(found, { ...fields, externalUserId }, user)) };
});

const remove = recordRoute(webhookRoutes.remove, findNamed, ({ found, user }) => deleteWebhook(found, user));

const rotate = recordRoute(webhookRoutes.rotateSecret, findNamed, async ({ found, user }) => {
  const webhook = await rotateSecret(found, user);
  return { data: serializeWebhook(webhook), secret: await webhookSecret(webhook) };
});

const test = recordRoute(webhookRoutes.test, findNamed, async ({ found, user }) => {
  const body = eventBody(testEventType, timestamp(), { ...serializeWebhook(found), sequence: 0 });
  const delivery = await addTestDelivery(found, { ulid: newUlid(), type: testEventType, body }, user);
  await startSender([found.ulid]);
  return { data: serializeDelivery(delivery) };
});

const deliveries = recordRoute(webhookRoutes.listDeliveries, findNamed, async ({ found, query }) => {
  const { status, event: type, from: fromMilliseconds, to: toMilliseconds, cursor, per_page } = query;
  const filter = { status, type, fromMilliseconds, toMilliseconds };
  const page = await listDeliveries(found.ulid, filter, { cursor, limit: per_page });
  return { data: page.deliveries.map(serializeDelivery), meta: { next_cursor: page.next ?? null, per_page } };
});

const findSent = async ({ params, user }: { params: { ulid: string; delivery: string }; user: User }) => {
  const webhook = await findNamed({ params, user });
  const ulid = parseUlid(params.delivery);
  const delivery = webhook && ulid !== undefined ? await findDelivery(webhook.ulid, ulid) : undefined;
  return webhook && delivery && { webhook, delivery };
};

const resend = recordRoute(webhookRoutes.resend, findSent, async ({ found: { webhook, delivery }, user }) => {
  requireActive(webhook, delivery);
  if (delivery.status !== 'pending' && (await sendAgain(webhook, delivery, user))) await startSender([webhook.ulid]);
  return { data: serializeDelivery((await findDelivery(webhook.ulid, delivery.ulid)) ?? delivery) };
});

const resendFailed = recordRoute(webhookRoutes.resendFailed, findNamed, async ({ found, body, user }) => {
  requireActive(found);
  const { next, failed } = await listFailedDeliveries(found.ulid, body.cursor ?? deliveriesSince(body.from));
  if (body.cursor === undefined) await recordResend(found, user, timestamp(body.from));
  const sent = await mapBounded(failed, (delivery) => sendAgain(found, delivery), 10);
  await startSender([found.ulid]);
  return { data: { resent: sent.filter(Boolean).length }, meta: { next_cursor: next ?? null } };
});

const events = route(eventRoutes.list, async ({ query: { after, per_page }, user }) => {
  const found = await listEvents(user.ulid, { after, limit: per_page, withNodes: user.isAdmin });
  const data = await mapBounded(
    found,
    async (event) => ({ ulid: event.ulid, ...(JSON.parse(await bodyOf(event)) as EventBody) }),
    5,
  );
  return { data, meta: { next_cursor: data.at(-1)?.ulid ?? after ?? null, per_page } };
});

function requireActive({ active }: Webhook, delivery?: Delivery): void {
  if (!active && delivery?.type !== testEventType)
    throw new Conflict('webhook_inactive', 'The webhook is not active. Switch it on first.');
}

function checkFields({ url, events }: { url?: string | undefined; events?: string[] | undefined }, user: User): void {
  const problem = url === undefined ? undefined : targetProblem(new URL(url), userTargets('webhook'));
  if (problem !== undefined) throw new ValidationFailed({ url: [problem] });
  if (!user.isAdmin && events?.some(isAdministratorEvent)) {
    const types = eventTypes.filter(isAdministratorEvent).join(' and ');
    throw new ValidationFailed({ events: [`Only administrators receive ${types}.`] });
  }
}

export const handler = createApiHandler(
  [list, create, get, update, remove, rotate, test, deliveries, resendFailed, resend, events],
  { respondOnce },
);
