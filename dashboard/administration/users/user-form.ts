import type { components } from '../../../client/api-types.ts';

export type User = components['schemas']['UserWithCreatedAt'];
type Quota = components['schemas']['Quota'];

/** Units of the amounts of a quota, smallest first. */
export const byteUnits = { MB: 1e6, GB: 1e9, TB: 1e12 } as const;
export const cpuUnits = { minutes: 60, hours: 3_600 } as const;
export type ByteUnit = keyof typeof byteUnits;
export type CpuUnit = keyof typeof cpuUnits;

/** What the form holds: texts, as the user types them. An empty amount is no limit. */
export type UserForm = {
  name: string;
  email: string;
  password: string;
  isAdmin: boolean;
  bytes: string;
  byteUnit: ByteUnit;
  cpu: string;
  cpuUnit: CpuUnit;
};

export function formOf(user: User | undefined): UserForm {
  const { upload_bytes_per_month: bytes = null, encoding_cpu_seconds_per_month: cpu = null } = user?.quota ?? {};
  const byteUnit = unitOf(bytes, byteUnits, 'GB');
  const cpuUnit = unitOf(cpu, cpuUnits, 'hours');
  return {
    name: user?.name ?? '',
    email: user?.email ?? '',
    password: '',
    isAdmin: user?.is_admin ?? false,
    bytes: bytes === null ? '' : String(bytes / byteUnits[byteUnit]),
    byteUnit,
    cpu: cpu === null ? '' : String(cpu / cpuUnits[cpuUnit]),
    cpuUnit,
  };
}

/** The largest unit in which the amount is at least one. */
function unitOf<Unit extends string>(amount: number | null, units: Record<Unit, number>, fallback: Unit): Unit {
  if (amount === null || amount === 0) return fallback;
  const names = Object.keys(units) as Unit[];
  return names.findLast((name) => amount >= units[name]) ?? names[0]!;
}

/** A number with a point or a comma, in a unit. Null for no limit; NaN for a text that is no amount. */
export function amountOf(text: string, unit: number): number | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return /^\d+([.,]\d+)?$/.test(trimmed) ? Math.round(Number(trimmed.replace(',', '.')) * unit) : Number.NaN;
}

const quotaOf = ({ bytes, byteUnit, cpu, cpuUnit }: UserForm): Quota => ({
  upload_bytes_per_month: amountOf(bytes, byteUnits[byteUnit]),
  encoding_cpu_seconds_per_month: amountOf(cpu, cpuUnits[cpuUnit]),
});

const nullIfUnlimited = (quota: Quota): Quota | null =>
  quota.upload_bytes_per_month === null && quota.encoding_cpu_seconds_per_month === null ? null : quota;

/** Amounts that cannot be sent. They are the only fields whose text is not the value. */
export const invalidAmounts = (form: UserForm): { bytes: boolean; cpu: boolean } => ({
  bytes: Number.isNaN(amountOf(form.bytes, 1)),
  cpu: Number.isNaN(amountOf(form.cpu, 1)),
});

export const creationOf = (form: UserForm) => ({
  name: form.name,
  email: form.email,
  password: form.password,
  is_admin: form.isAdmin,
  quota: nullIfUnlimited(quotaOf(form)),
});

export type UserChanges = { name?: string; email?: string; is_admin?: boolean; quota?: Quota | null };

/** Only what the form changes. */
export function changesOf(before: UserForm, after: UserForm): UserChanges {
  const quota = nullIfUnlimited(quotaOf(after));
  return {
    ...(after.name !== before.name && { name: after.name }),
    ...(after.email !== before.email && { email: after.email }),
    ...(after.isAdmin !== before.isAdmin && { is_admin: after.isAdmin }),
    ...(JSON.stringify(quota) !== JSON.stringify(nullIfUnlimited(quotaOf(before))) && { quota }),
  };
}
