const unitMs: Record<string, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Milliseconds between two events of a schedule. Only expressions such as `rate(5 minutes)` are supported. */
export function rateMs(expression: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  if (!count || !unit) throw new Error(`The embedded EventBridge does not support the schedule ${expression}.`);
  return Number(count) * unitMs[unit]!;
}
