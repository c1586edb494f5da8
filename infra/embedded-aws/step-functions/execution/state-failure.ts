/** A state failed: the error name and cause that Retry and Catch see. */
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

/** The work was stopped from outside. It is no result: nobody may retry, catch or record it. */
export class Halted extends Error {
  constructor() {
    super('halted');
    this.name = 'Halted';
  }
}

/** Halted because the interpreter closes: what was going on goes on when it is opened again. */
export class Closing extends Halted {
  constructor() {
    super();
    this.name = 'Closing';
  }
}
