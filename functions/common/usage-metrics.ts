/** What is charged to users: the metrics that a request without a choice gets. */
export const chargedMetrics = ['upload_bytes', 'encoding_cpu'] as const;
export type ChargedMetric = (typeof chargedMetrics)[number];

/** What viewers cause, summed from the access logs. */
export const viewMetrics = ['delivered_bytes', 'views', 'watched_seconds'] as const;
export type ViewMetric = (typeof viewMetrics)[number];

/** Usage is summed by user, external user and day. */
export const usageMetrics = [...chargedMetrics, 'stored_bytes', ...viewMetrics] as const;
export type UsageMetric = (typeof usageMetrics)[number];
