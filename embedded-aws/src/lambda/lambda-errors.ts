/** The payload of a failed invocation. Retry and Catch of a state machine match `errorType`. */
export type FailureDocument = { errorType: string; errorMessage: string; trace: string[] };

/** Lambda refuses an invocation before the function runs. `name` is the error code of the API. */
export class InvocationRefused extends Error {
  readonly statusCode: number;
  constructor(name: string, statusCode: number, message: string) {
    super(message);
    this.name = name;
    this.statusCode = statusCode;
  }
}

export class FunctionNotFound extends InvocationRefused {
  constructor(name: string) {
    super('ResourceNotFoundException', 404, `Function not found: ${name}`);
  }
}

export class RequestTooLarge extends InvocationRefused {
  constructor(limitBytes: number) {
    const message = `Request must be smaller than ${limitBytes} bytes for the InvokeFunction operation`;
    super('RequestTooLargeException', 413, message);
  }
}

export class TooManyRequests extends InvocationRefused {
  constructor() {
    super('TooManyRequestsException', 429, 'Rate Exceeded.');
  }
}
