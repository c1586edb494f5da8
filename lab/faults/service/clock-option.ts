const preload = new URL('./clock-ahead.ts', import.meta.url);

/** The Node option that sets the clock of a process ahead. */
export const clockOption = (seconds: number): string => `--import=${preload.href}?seconds=${seconds}`;
