/** What a failed invocation answers; the state machine's Retry and Catch match `errorType`. */
export type FailureDocument = { errorType: string; errorMessage: string; trace: string[] };

/** No function of this name. */
export class FunctionNotFound extends Error {
  constructor(name: string) {
    super(`Function not found: ${name}`);
    this.name = 'ResourceNotFoundException';
  }
}
