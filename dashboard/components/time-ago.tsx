import { formatAgo, formatDateTime } from '../messages/format.ts';

type TimeAgoProps = {
  time: string;
  class?: string;
  /** what is shown for the pointer, by default date and time without seconds */
  format?: (time: string) => string;
};

/** How long ago something was, with its date and time. */
export const TimeAgo = ({ time, class: className, format = formatDateTime }: TimeAgoProps) => (
  <time class={className} dateTime={time} title={format(time)}>
    {formatAgo(time)}
  </time>
);
