import type { FailureDocument } from './failure.ts';

/** What a runtime thread is started with. */
export type RuntimeInput = {
  codeFolder: string;
  module: string;
  handler: string;
  functionName: string;
  functionArn: string;
  compileCacheFolder: string;
};

/** `event` is JSON text; `deadlineMs` since 1970. */
export type RuntimeRequest = { requestId: string; event: string; deadlineMs: number };

/** Answers come in the order in which calls end. */
export type RuntimeAnswer =
  | { requestId: string; result: string; failure?: undefined }
  | { requestId: string; result?: undefined; failure: FailureDocument };
