import type { Item } from '../../../test/journey/support/account.ts';

/** What the receiver of a webhook got, and what GET showed before the receiver answered. */
export type Received = {
  id: string;
  type: string;
  data: { ulid: string; sequence: number; video_ulid?: string };
  /** undefined when the event is not about a video, and null when the video was not found */
  shown: ShownVideo | null | undefined;
  /** the receiver answered with 204 */
  isAccepted: boolean;
};

export type ShownVideo = {
  status: string;
  playable_at: string | null;
  outputs: { ulid: string; status: string }[];
  streams: { ulid: string; status: string }[];
};

/** An event of `GET /api/events`. */
export type ListedEvent = { ulid: string; type: string; data: { ulid: string; sequence: number } };

/** An event in the table. */
export type EventItem = Item & {
  ulid: string;
  type: string;
  userUlid: string | null;
  sequence: number;
  subject: { kind: string; ulid: string; videoUlid?: string };
};

/** The events of users; those of administrators have no owner. */
export const userEventsIn = (items: readonly Item[]): EventItem[] =>
  (items.filter(({ kind }) => kind === 'event') as EventItem[])
    .filter(({ userUlid }) => userUlid !== null)
    .toSorted((one, other) => one.sequence - other.sequence);

/** The video that an event is about, also when it is about a part of it. An upload has the ULID of its video. */
export const videoOf = ({ subject }: EventItem): string => subject.videoUlid ?? subject.ulid;
