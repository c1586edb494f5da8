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

export type RuntimeAnswer = { result: string; failure?: undefined } | { result?: undefined; failure: FailureDocument };
