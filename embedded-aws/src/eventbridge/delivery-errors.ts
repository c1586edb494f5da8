/** Why a target did not accept an event. The codes are those of dead letters. */
export type DeliveryError = { code: string; message: string; isRetriable: boolean };

/**
 * Errors by name that a repetition does not correct: the permission or the target is missing. EventBridge sends such an
 * event to the dead-letter queue at once. https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
 */
const permanentErrors: Record<string, string> = {
  AccessDeniedException: 'NO_PERMISSIONS',
  ResourceNotFoundException: 'NO_RESOURCE',
  StateMachineDoesNotExist: 'NO_RESOURCE',
  InvalidExecutionInput: 'INVALID_PARAMETER',
  ValidationException: 'INVALID_PARAMETER',
  RequestTooLargeException: 'INVALID_PARAMETER',
};

const throttlingErrors = ['TooManyRequestsException', 'ThrottlingException', 'ExecutionLimitExceeded'];

/** Describes what a target threw. */
export function deliveryError(thrown: unknown): DeliveryError {
  const { name, message } = thrown instanceof Error ? thrown : { name: '', message: String(thrown) };
  const permanent = permanentErrors[name];
  if (permanent !== undefined) return { code: permanent, message, isRetriable: false };
  const code = throttlingErrors.includes(name) ? 'THROTTLING' : 'ERROR_FROM_TARGET';
  return { code, message, isRetriable: true };
}
