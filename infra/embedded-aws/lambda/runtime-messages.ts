import type { FailureDocument } from './lambda-errors.ts';

/** What a runtime thread is started with. */
export type RuntimeInput = {
  codeFolder: string;
  module: string;
  handler: string;
  functionName: string;
  functionArn: string;
  compileCacheFolder: string;
  /** of the embedded services, when calls to them go through the main thread */
  interceptedEndpoint: string | undefined;
};

/** `event` is JSON text; `deadlineMs` since 1970. */
export type RuntimeRequest = { requestId: string; event: string; deadlineMs: number };

/** Answers come in the order in which calls end. */
export type RuntimeAnswer =
  | { requestId: string; result: string; failure?: undefined }
  | { requestId: string; result?: undefined; failure: FailureDocument };

/** A signed POST request of a function to an embedded service. `headers` are names and values in turn; `callId` is the thread's own. */
export type ServiceCall = { callId: number; path: string; headers: string[]; body: string };

export type ServiceAnswer = {
  callId: number;
  statusCode: number;
  /** by names in lower case */
  headers: Record<string, string>;
  body: string;
};
