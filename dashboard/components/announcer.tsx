import { signal } from '@preact/signals';

const announcement = signal('');

/** Tells screen readers about a change, such as "Saved." */
export function announce(message: string): void {
  announcement.value = '';
  // A region that gets the same text again is not read again.
  setTimeout(() => (announcement.value = message), 50);
}

export const Announcer = () => (
  <p class="visually-hidden" role="status">
    {announcement}
  </p>
);
