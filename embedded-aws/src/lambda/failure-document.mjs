/**
 * Converts any thrown value to Lambda's document. In JavaScript, because the runtime threads load it.
 * @param {unknown} thrown
 * @returns {import('./lambda-errors.ts').FailureDocument}
 */
export function failureDocument(thrown) {
  if (!(thrown instanceof Error)) return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  return { errorType: thrown.name, errorMessage: thrown.message, trace: thrown.stack?.split('\n') ?? [] };
}
