/** What a failed invocation answers; the state machine's Retry and Catch match `errorType`. */
export type FailureDocument = { errorType: string; errorMessage: string; trace: string[] };

/** No function of this name. */
export class FunctionNotFound extends Error {
  constructor(name: string) {
    super(`Function not found: ${name}`);
    this.name = 'ResourceNotFoundException';
  }
}

/** Lambda's document of anything thrown. */
export function failureDocument(thrown: unknown): FailureDocument {
  if (!(thrown instanceof Error)) return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  return { errorType: thrown.name, errorMessage: thrown.message, trace: thrown.stack?.split('\n') ?? [] };
}
