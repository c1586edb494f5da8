import { text } from '../messages/messages.ts';
import { stateOf, type Webhook } from './webhook-properties.ts';

export function WebhookStateBadge({ webhook }: { webhook: Webhook }) {
  const state = stateOf(webhook);
  return (
    <span class="badge" data-status={state}>
      {text.value.webhooks.states[state]}
    </span>
  );
}

/** The types of events of a webhook. */
export const WebhookEvents = ({ webhook: { events } }: { webhook: Webhook }) => (
  <ul class="event-names">
    {events.includes('*') ? (
      <li>{text.value.webhooks.allEvents}</li>
    ) : (
      events.map((event) => (
        <li key={event}>
          <code>{event}</code>
        </li>
      ))
    )}
  </ul>
);
