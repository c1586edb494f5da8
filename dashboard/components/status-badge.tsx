import type { Messages } from '../messages/en.ts';
import { text } from '../messages/messages.ts';

type StatusBadgeProps = { status: string };

/** The status of a video, stream, output or job, in words and by colour. */
export const StatusBadge = ({ status }: StatusBadgeProps) => (
  <span class="badge" data-status={status}>
    {text.value.status[status as keyof Messages['status']] ?? status}
  </span>
);
