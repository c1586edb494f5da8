/**
 * List prices of AWS in dollars for us-east-1, without taxes, free tiers and savings plans, as of 2026-11-21.
 * docs/cost.md says which of them come from pages of AWS. None is from a bill: check them before you rely on them, at
 * https://aws.amazon.com/pricing/
 */
export const prices = {
  date: '2026-11-21',
  region: 'us-east-1',
  fargate: {
    // Linux on ARM; x86 costs 25 % more.
    vcpuHour: 0.03238,
    gbHour: 0.00356,
    /** per GB over the included storage */
    storageGbHour: 0.000111,
    includedStorageGb: 20,
    /** Spot price relative to on demand. It varies; it has stayed near this value. */
    spotPriceRatio: 0.3,
  },
  stepFunctions: { perTransition: 0.025 / 1000 },
  lambda: { perGbSecond: 0.0000133334, perStorageGbSecond: 0.0000000309, perRequest: 0.2 / 1e6 },
  dynamoDb: { perWriteUnit: 0.625 / 1e6, perReadUnit: 0.125 / 1e6, gbMonth: 0.25, backupGbMonth: 0.2 },
  httpApi: { perRequest: 1 / 1e6 },
  /** `perEvent`: for each object that is created or deleted, S3 sends a paid opt-in event to EventBridge. */
  s3: { perPut: 0.005 / 1000, perGet: 0.0004 / 1000, perEvent: 1 / 1e6, gbMonth: 0.023 },
  cloudFront: {
    /** the first 10 TB of a month, to viewers in the United States, Canada and Europe */
    perGb: 0.085,
    perHttpsRequest: 0.01 / 10_000,
    perFunctionRun: 0.1 / 1e6,
    /** of a function at the edge */
    perKeyValueRead: 0.03 / 1e6,
    /** of the API, also a read */
    perKeyValueRequest: 1 / 1000,
  },
  publicAddressHour: 0.005,
  natGateway: { hour: 0.045, perGb: 0.045 },
  cloudWatch: { alarmMonth: 0.1, metricMonth: 0.3, dashboardMonth: 3, logGb: 0.5 },
  kmsKeyMonth: 1,
  /** of an alarm; a budget sends its emails free of charge */
  sns: { perEmail: 2 / 100_000 },
  xray: { perTrace: 5 / 1e6 },
  ecrGbMonth: 0.1,
  /** basic tier, AVC, single pass, up to 30 frames per second: per minute of each rendition */
  mediaConvert: { sdMinute: 0.0075, hdMinute: 0.015, uhdMinute: 0.03 },
} as const;
