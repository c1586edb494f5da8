/** Usage is summed by user, external user and day. */
export const usageMetrics = ['upload_bytes', 'encoding_cpu'] as const;
export type UsageMetric = (typeof usageMetrics)[number];
