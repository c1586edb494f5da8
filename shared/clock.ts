/** The one clock: milliseconds since 1970, UTC. */
export const now = (): number => Date.now();

export const nowSeconds = (): number => Math.floor(now() / 1000);

/** `2026-11-20T10:00:00.000000Z`: the form in which every timestamp is stored and answered, so that text order is time order. */
export const timestamp = (milliseconds: number = now()): string =>
  new Date(milliseconds).toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');

/** The UTC calendar day of an instant, `2026-11-20`: what usage and analytics are summed by. */
export const day = (milliseconds: number = now()): string => new Date(milliseconds).toISOString().slice(0, 10);
