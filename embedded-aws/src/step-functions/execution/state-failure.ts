/** The failure of a state, with the error name and cause for Retry and Catch. */
export class StateFailure extends Error {
  readonly error: string;
  readonly errorCause: string | undefined;

  constructor(error: string, errorCause?: string) {
    super(errorCause === undefined ? error : `${error}: ${errorCause}`);
    this.name = 'StateFailure';
    this.error = error;
    this.errorCause = errorCause;
  }
}

/**
 * The work was stopped from outside. This is not a failure of the state: it must not be retried, caught or recorded.
 */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}

/**
 * The work stops here without a record: the process is shutting down, or the journal cannot be written. It continues
 * later from what the journal has.
 */
export class ShuttingDown extends Interrupted {
  constructor() {
    super();
    this.name = 'ShuttingDown';
  }
}
