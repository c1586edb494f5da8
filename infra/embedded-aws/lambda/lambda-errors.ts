/** The payload of a failed invocation. Retry and Catch of a state machine match `errorType`. */
export type FailureDocument = { errorType: string; errorMessage: string; trace: string[] };

export class FunctionNotFound extends Error {
  constructor(name: string) {
    super(`Function not found: ${name}`);
    this.name = 'ResourceNotFoundException';
  }
}
