export type StepFunctionsErrorName =
  | 'ExecutionAlreadyExists'
  | 'ExecutionDoesNotExist'
  | 'ExecutionNotRedrivable'
  | 'InvalidArn'
  | 'InvalidExecutionInput'
  | 'InvalidName'
  | 'InvalidOutput'
  | 'InvalidToken'
  | 'ResourceNotFound'
  | 'SerializationException'
  | 'StateMachineDoesNotExist'
  | 'TaskDoesNotExist'
  | 'TaskTimedOut'
  | 'ThrottlingException'
  | 'UnknownOperationException'
  | 'ValidationException';

/** An error response of the API. `name` is the error name that an SDK client receives. */
export class StepFunctionsError extends Error {
  constructor(name: StepFunctionsErrorName, message: string) {
    super(message);
    this.name = name;
  }
}
