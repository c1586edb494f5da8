export type StatesErrorName =
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
  | 'UnknownOperationException'
  | 'ValidationException';

/** What an operation answers instead of a result; `name` is what an SDK client sees as the error's name. */
export class StatesError extends Error {
  constructor(name: StatesErrorName, message: string) {
    super(message);
    this.name = name;
  }
}
