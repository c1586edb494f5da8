import * as z from 'zod';
import { atLeastOne, integerBetween, name, publishedAs, queryInteger, text } from '../fields/fields.ts';
import { queryInstant } from '../fields/instant.ts';
import { cursorInput, cursorMeta } from '../fields/paging.ts';
import {
  delivery,
  deliveryEvent,
  listedEvent,
  webhook,
  webhookEvents,
  webhookSecret,
  webhookUrl,
} from '../fields/webhook-fields.ts';
import type { RouteDeclaration } from '../route-declaration.ts';
import { deliveryStatuses } from '../statuses.ts';

const one = z.object({ data: webhook });
const withSecret = one.extend({ secret: webhookSecret });
const oneDelivery = z.object({ data: delivery });
const ulidCursor = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const perPage = queryInteger(1, 100)
  .default(15)
  .meta(publishedAs({ ...integerBetween(1, 100), default: 15 }));

const input = z.object({
  name,
  url: webhookUrl,
  events: webhookEvents,
  active: z.boolean().optional(),
  external_user_id: text(255).nullable().optional(),
});

export const webhookRoutes = {
  list: {
    operationId: 'listWebhooks',
    method: 'GET',
    path: '/api/webhooks',
    tag: 'Webhooks',
    summary: "The caller's webhooks",
    description: 'In order of creation. The answer never has a secret.',
    access: 'user',
    ability: 'webhooks:write',
    query: z.object({
      user_id: queryInteger(1).optional().meta({ description: 'Administrators only: list this user instead.' }),
    }),
    adminFields: ['user_id'],
    status: 200,
    response: z.object({ data: z.array(webhook) }),
  },
  create: {
    operationId: 'createWebhook',
    repeats: 'continued',
    showsSecret: true,
    method: 'POST',
    path: '/api/webhooks',
    tag: 'Webhooks',
    summary: 'Create a webhook',
    description:
      'The service sends each event of the given types as a POST request to the URL, by the specification of Standard Webhooks. `external_user_id` limits the events to those of one external user. The answer has the secret that verifies the requests, once. At most 20 webhooks per user (422).',
    access: 'user',
    ability: 'webhooks:write',
    body: input,
    bodyExample: { name: 'Shop', url: 'https://shop.example.com/hooks/video', events: ['video.completed'] },
    status: 201,
    response: withSecret,
  },
  get: {
    operationId: 'getWebhook',
    method: 'GET',
    path: '/api/webhooks/{ulid}',
    tag: 'Webhooks',
    summary: 'Read a webhook',
    description: "Administrators can read, change and delete every user's.",
    access: 'user',
    ability: 'webhooks:write',
    status: 200,
    response: one,
    errors: ['not_found'],
  },
  update: {
    operationId: 'updateWebhook',
    method: 'PUT',
    path: '/api/webhooks/{ulid}',
    tag: 'Webhooks',
    summary: 'Change a webhook',
    description:
      'Fields left out keep their values. `active: true` switches on a webhook that the service has switched off.',
    access: 'user',
    ability: 'webhooks:write',
    body: atLeastOne(input.partial()),
    bodyExample: { events: ['video.completed', 'video.failed'], active: true },
    status: 200,
    response: one,
    errors: ['not_found', 'concurrent_change'],
  },
  remove: {
    operationId: 'deleteWebhook',
    method: 'DELETE',
    path: '/api/webhooks/{ulid}',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description: 'Nothing is sent to it any more, also no event that has happened before.',
    access: 'user',
    ability: 'webhooks:write',
    status: 204,
    errors: ['not_found'],
  },
  rotateSecret: {
    operationId: 'rotateWebhookSecret',
    repeats: 'again',
    showsSecret: true,
    method: 'POST',
    path: '/api/webhooks/{ulid}/rotate-secret',
    tag: 'Webhooks',
    summary: 'Get another secret',
    description: 'For 24 hours the requests are signed with the new and with the previous secret.',
    access: 'user',
    ability: 'webhooks:write',
    status: 200,
    response: withSecret,
    errors: ['not_found', 'concurrent_change'],
  },
  test: {
    operationId: 'testWebhook',
    rate: 'targetTests',
    repeats: 'again',
    method: 'POST',
    path: '/api/webhooks/{ulid}/test',
    tag: 'Webhooks',
    summary: 'Send a test event',
    description: 'Sends `webhook.test` once, also when the webhook is not active.',
    access: 'user',
    ability: 'webhooks:write',
    status: 202,
    response: oneDelivery,
    errors: ['not_found'],
  },
  listDeliveries: {
    operationId: 'listWebhookDeliveries',
    method: 'GET',
    path: '/api/webhooks/{ulid}/deliveries',
    tag: 'Webhooks',
    summary: 'What was sent to a webhook',
    description:
      'Of the last 30 days, newest first. A page of a list with a filter can have fewer entries than `per_page`, also none, although `next_cursor` is not null.',
    access: 'user',
    ability: 'webhooks:write',
    query: z.object({
      status: z.enum(deliveryStatuses).optional(),
      event: deliveryEvent.optional(),
      from: queryInstant('start').optional(),
      to: queryInstant('end').optional(),
      cursor: cursorInput(ulidCursor),
      per_page: perPage,
    }),
    status: 200,
    response: z.object({ data: z.array(delivery), meta: cursorMeta }),
    errors: ['not_found'],
  },
  resend: {
    operationId: 'resendWebhookDelivery',
    repeats: 'again',
    method: 'POST',
    path: '/api/webhooks/{ulid}/deliveries/{delivery}/resend',
    tag: 'Webhooks',
    summary: 'Send an event again',
    description:
      'With the same id and body, and all attempts of a new event. Nothing changes while it is pending. 409 when the webhook is not active.',
    access: 'user',
    ability: 'webhooks:write',
    status: 202,
    response: oneDelivery,
    errors: ['not_found', 'webhook_inactive'],
  },
  resendFailed: {
    operationId: 'resendFailedWebhookDeliveries',
    repeats: 'again',
    method: 'POST',
    path: '/api/webhooks/{ulid}/deliveries/resend-failed',
    tag: 'Webhooks',
    summary: 'Send all failed events again',
    description:
      'Those since `from` whose last attempt failed, oldest first. A request reads a part of the deliveries and sends at most 1,000: `resent` says how many, and can be 0 although more follow. Send `meta.next_cursor` as `cursor` with the same `from` until it is null. 409 when the webhook is not active.',
    access: 'user',
    ability: 'webhooks:write',
    body: z.object({ from: queryInstant('start'), cursor: cursorInput(ulidCursor) }),
    bodyExample: { from: '2026-11-20T10:00:00Z' },
    status: 202,
    response: z.object({ data: z.object({ resent: z.int().min(0) }), meta: cursorMeta.pick({ next_cursor: true }) }),
    errors: ['not_found', 'webhook_inactive'],
  },
} as const satisfies Record<string, RouteDeclaration>;

export const eventRoutes = {
  list: {
    operationId: 'listEvents',
    method: 'GET',
    path: '/api/events',
    tag: 'Webhooks',
    summary: "The caller's events",
    description:
      'Of the last 7 days, oldest first, for clients that cannot receive requests. To get later events, pass `meta.next_cursor` as `after`: it is the last event, also on the last page, and null when there was none yet. Events appear two seconds after their change. Administrators also get the events of nodes.',
    access: 'user',
    ability: ['videos:read', 'webhooks:write'],
    query: z.object({ after: cursorInput(ulidCursor), per_page: perPage }),
    status: 200,
    response: z.object({ data: z.array(listedEvent), meta: cursorMeta }),
  },
} as const satisfies Record<string, RouteDeclaration>;
