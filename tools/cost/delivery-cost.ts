import { prices } from '../../shared/pricing/prices.ts';

/** Assumptions about delivery by the edge. */
export const deliveryAssumptions = {
  /** a segment of 4 s with 2 Mbit/s; players that choose higher rates need fewer requests for the same bytes */
  gbPerRequest: 0.001,
  /** the check of the request, and the name of a download in the response */
  functionRunsPerRequest: 2,
  /** the signing key, and whether the video is deleted */
  keyValueReadsPerRequest: 2,
  /** share of the requests for which CloudFront asks the bucket; transfer from S3 to CloudFront is free */
  missShare: 0.1,
  /**
   * API requests: a read of the version and two writes, the second of which is a minute later, for certainty. The
   * deletion of a public video has four writes: measured are its becoming public and its deletion.
   */
  keyValueRequestsPerChange: 3.5,
} as const;

export type DeliveryItem = { name: string; dollars: number };

/** The costs of making videos public or signed and of deleting them, one by one: 50 at a time are one request. */
export function playbackChangeItems(changes: number): { name: string; count: number; dollars: number }[] {
  const count = changes * deliveryAssumptions.keyValueRequestsPerChange;
  return [{ name: 'requests to the key value store', count, dollars: count * prices.cloudFront.perKeyValueRequest }];
}

/** The costs of delivering `gb` by the edge. Free tiers are not deducted. */
export function deliveryItems(gb: number): DeliveryItem[] {
  const { gbPerRequest, functionRunsPerRequest, keyValueReadsPerRequest, missShare } = deliveryAssumptions;
  const { perGb, perHttpsRequest, perFunctionRun, perKeyValueRead } = prices.cloudFront;
  const requests = gb / gbPerRequest;
  return [
    { name: 'transfer to viewers', dollars: gb * perGb },
    { name: 'HTTPS requests', dollars: requests * perHttpsRequest },
    { name: 'runs of the functions', dollars: requests * functionRunsPerRequest * perFunctionRun },
    { name: 'reads of the key value store', dollars: requests * keyValueReadsPerRequest * perKeyValueRead },
    { name: 'reads of the bucket', dollars: requests * missShare * prices.s3.perGet },
  ];
}
