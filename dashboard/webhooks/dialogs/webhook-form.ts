import type { operations } from '../../../client/api-types.ts';
import { eventTypes } from '../../../client/event-types.ts';
import type { Webhook } from '../webhook-properties.ts';

export type WebhookInput = operations['createWebhook']['requestBody']['content']['application/json'];
type EventType = (typeof eventTypes)[number];

export type EventSubject = EventType extends `${infer Subject}.${string}` ? Subject : never;

/** All types of events by what they report on. Those of nodes are for administrators. */
export const eventsBySubject = Map.groupBy(eventTypes, (type) => type.split('.')[0] as EventSubject);

/** What the form holds: texts, as the user types them. */
export type WebhookForm = {
  name: string;
  url: string;
  hasAllEvents: boolean;
  /** kept while all events are chosen */
  events: readonly string[];
  externalUser: string;
  isActive: boolean;
};

const usualEvents: readonly EventType[] = ['video.completed', 'video.failed'];

export const formOf = (webhook: Webhook | undefined): WebhookForm => ({
  name: webhook?.name ?? '',
  url: webhook?.url ?? '',
  hasAllEvents: webhook?.events.includes('*') ?? false,
  events: webhook?.events.filter((event) => event !== '*') ?? usualEvents,
  externalUser: webhook?.external_user_id ?? '',
  isActive: webhook?.active ?? true,
});

/** The events are in the order of the list, whatever the order in which they were chosen. */
const fieldsOf = (form: WebhookForm) => ({
  name: form.name.trim(),
  url: form.url.trim(),
  events: form.hasAllEvents ? (['*'] as const) : eventTypes.filter((type) => form.events.includes(type)),
  external_user_id: form.externalUser.trim() || null,
  active: form.isActive,
});

/** What is left out has its default. */
export function creationOf(form: WebhookForm): WebhookInput {
  const { name, url, events, external_user_id, active } = fieldsOf(form);
  return {
    name,
    url,
    events: [...events],
    ...(external_user_id !== null && { external_user_id }),
    ...(!active && { active }),
  };
}

/** Only what the form changes. */
export function changesOf(before: WebhookForm, after: WebhookForm): Partial<WebhookInput> {
  const [old, current] = [fieldsOf(before), fieldsOf(after)];
  return Object.fromEntries(
    Object.entries(current).filter(
      ([field, value]) => JSON.stringify(old[field as keyof typeof old]) !== JSON.stringify(value),
    ),
  );
}

/** The messages about the events, also those about one of them (`events.0`). */
export const eventErrors = (errors: Readonly<Record<string, readonly string[]>>): string[] => [
  ...new Set(
    Object.entries(errors)
      .filter(([field]) => field === 'events' || field.startsWith('events.'))
      .flatMap(([, messages]) => messages),
  ),
];
