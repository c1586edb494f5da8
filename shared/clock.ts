/** Milliseconds since 1970, UTC. All code reads the time here, so that tests can set it. */
export const now = (): number => Date.now();

export const nowSeconds = (): number => Math.floor(now() / 1000);

/** `2026-11-20T10:00:00.000000Z`: the format of every stored and published timestamp. Text order is time order. */
export const timestamp = (milliseconds: number = now()): string =>
  new Date(milliseconds).toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');

/** The UTC month of an instant, `2026-11`. Quotas are for a month. */
export const month = (milliseconds: number = now()): string => day(milliseconds).slice(0, 7);

/** The UTC calendar day of an instant, `2026-11-20`. Usage and analytics are summed by day. */
export const day = (milliseconds: number = now()): string => new Date(milliseconds).toISOString().slice(0, 10);
