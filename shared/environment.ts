/** The one place that reads the environment. Names are set by the infrastructure together with the rights that belong to them. */
export function env(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`the environment variable ${name} is not set`);
  return value;
}

export const envOr = (name: string, fallback: string): string => process.env[name] || fallback;

export function envNumber(name: string, fallback: number): number {
  const value = Number(process.env[name] || fallback);
  if (!Number.isFinite(value)) throw new Error(`the environment variable ${name} is not a number`);
  return value;
}
