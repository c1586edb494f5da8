const unitMs: Record<string, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Milliseconds between two turns of `rate(5 minutes)`, the one form of schedule that is known here. */
export function rateMs(expression: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  if (!count || !unit) throw new Error(`The embedded EventBridge does not know the schedule ${expression}.`);
  return Number(count) * unitMs[unit]!;
}
