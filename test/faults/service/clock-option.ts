const preload = new URL('./clock-ahead.ts', import.meta.url);

/** The option of Node that puts a process's clock ahead. */
export const clockOption = (seconds: number): string => `--import=${preload.href}?seconds=${seconds}`;
