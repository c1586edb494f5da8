import type * as z from 'zod';
import { month } from '../../shared/clock.ts';
import type { quotaInput, quota as quotaSchema, quotaUse } from '../contracts/fields/quota-fields.ts';
import type { QuotaUse } from '../table/quotas/reserve.ts';
import type { Quota } from '../table/records.ts';

export const serializeQuota = (quota: Quota | null): z.input<typeof quotaSchema> | null =>
  quota && {
    upload_bytes_per_month: quota.uploadBytesPerMonth,
    encoding_cpu_seconds_per_month: quota.encodingCpuSecondsPerMonth,
  };

export const parseQuota = (quota: z.output<typeof quotaInput> | null): Quota | null =>
  quota && {
    uploadBytesPerMonth: quota.upload_bytes_per_month,
    encodingCpuSecondsPerMonth: quota.encoding_cpu_seconds_per_month,
  };

export const serializeQuotaUse = ({ used, reserved }: QuotaUse): z.input<typeof quotaUse> => ({
  month: month(),
  upload_bytes: { used: used.uploadBytes, reserved: reserved.uploadBytes },
  // CPU time is stored in milliseconds, because short jobs would round to zero seconds.
  encoding_cpu_seconds: { used: seconds(used.cpuMilliseconds), reserved: seconds(reserved.cpuMilliseconds) },
});

const seconds = (milliseconds: number): number => Math.round(milliseconds / 1000);
