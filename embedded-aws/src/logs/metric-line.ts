import { z } from 'zod';

// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html

const maxMetrics = 100;
const maxDimensions = 30;
const maxValues = 100;
const name = z
  .string()
  .min(1)
  .max(1024)
  .refine((text) => text.trim() !== '', 'a name has a character other than white space');
const reference = z.string().min(1).max(250);
const directive = z.object({
  Namespace: name,
  Dimensions: z.array(z.array(reference).max(maxDimensions)),
  Metrics: z.array(z.object({ Name: name, Unit: z.string().optional() })).max(maxMetrics),
});
const metadata = z.object({ Timestamp: z.int().positive(), CloudWatchMetrics: z.array(directive).min(1) });
const metricValue = z.union([z.number(), z.array(z.number()).min(1).max(maxValues)]);

/** Why CloudWatch ignores the metrics of a log line. Undefined for a valid line, and for one without metrics. */
export function metricProblem(line: string): string | undefined {
  if (!line.includes('"_aws"')) return undefined;
  let document: Record<string, unknown>;
  try {
    document = JSON.parse(line);
  } catch {
    return 'the line is not JSON';
  }
  const parsed = metadata.safeParse(document._aws);
  if (!parsed.success)
    return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  for (const { Dimensions, Metrics } of parsed.data.CloudWatchMetrics) {
    const dimension = Dimensions.flat().find((one) => typeof document[one] !== 'string');
    if (dimension !== undefined) return `the dimension ${dimension} has no text`;
    const metric = Metrics.find((one) => !metricValue.safeParse(document[one.Name]).success);
    if (metric) return `the metric ${metric.Name} has no number`;
  }
  return undefined;
}
