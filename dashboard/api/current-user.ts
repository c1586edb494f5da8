import { signal } from '@preact/signals';
import type { components } from '../../client/api-types.ts';

export type Me = components['schemas']['Me'];

/** The signed-in user; null when signed out, undefined until that is known. */
export const session = signal<Me | null | undefined>(undefined);

/** The service does not accept the session any more. */
export const sessionEnded = (): void => {
  session.value = null;
};
