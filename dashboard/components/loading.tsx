import { text } from '../messages/messages.ts';

/** In place of data that is not there yet. */
export const Loading = () => (
  <p class="loading" role="status">
    {text.value.app.loading}
  </p>
);
