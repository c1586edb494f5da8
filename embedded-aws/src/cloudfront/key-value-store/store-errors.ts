const statuses = {
  ConflictException: 409,
  InternalServerException: 500,
  ResourceNotFoundException: 404,
  ServiceQuotaExceededException: 402,
  ValidationException: 400,
} as const;

/** An error response of the key-value store API. */
export class KeyValueStoreError extends Error {
  readonly status: number;

  constructor(name: keyof typeof statuses, message: string) {
    super(message);
    this.name = name;
    this.status = statuses[name];
  }
}
