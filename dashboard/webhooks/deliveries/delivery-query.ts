import type { components } from '../../../client/api-types.ts';

export type Delivery = components['schemas']['WebhookDelivery'];

export const deliveryStatuses = ['pending', 'delivered', 'failed', 'exhausted'] as const;

/** The type of the events that test a webhook. */
export const testEvent = 'webhook.test';

/** Empty strings are no filters. */
export type DeliveryFilters = { status: string; event: string };
export const noFilters: DeliveryFilters = { status: '', event: '' };

export const isFiltered = ({ status, event }: DeliveryFilters): boolean => status !== '' || event !== '';

/** A page of the list as it was last loaded. */
export type DeliveryPage = { deliveries: readonly Delivery[]; next: string | null };

export const perPage = 25;

/** @param cursor where the page begins; undefined for the first */
export const deliveryQuery = ({ status, event }: DeliveryFilters, cursor: string | undefined) =>
  ({
    per_page: perPage,
    ...(status !== '' && { status }),
    ...(event !== '' && { event }),
    ...(cursor !== undefined && { cursor }),
  }) as { per_page: number; status?: Delivery['status']; event?: typeof testEvent; cursor?: string };

/** The cursors of the first pages. A page begins where the one before ends now. */
export const cursorsOf = (pages: readonly DeliveryPage[], amount: number): (string | undefined)[] => [
  undefined,
  ...pages.slice(0, amount - 1).flatMap(({ next }) => (next === null ? [] : [next])),
];

/** The rows of all pages. A delivery may be in two of them while the second is loaded again. */
export const deliveriesOf = (pages: readonly DeliveryPage[]): Delivery[] => [
  ...new Map(pages.flatMap(({ deliveries }) => deliveries).map((delivery) => [delivery.ulid, delivery])).values(),
];

/** Deliveries that wait for an attempt are loaded often, the first page also for new ones. */
export function pollSecondsOf(deliveries: readonly Pick<Delivery, 'status'>[], isFirst: boolean): number {
  if (deliveries.some(({ status }) => status === 'pending')) return 2;
  return isFirst ? 5 : 60;
}

/** The value of a `datetime-local` field: the local time without its offset. */
export function localInputOf(milliseconds: number): string {
  const time = new Date(milliseconds);
  return new Date(milliseconds - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The instant of a `datetime-local` value in UTC; undefined when the field is incomplete. */
export function instantOf(input: string): string | undefined {
  const time = new Date(input);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
