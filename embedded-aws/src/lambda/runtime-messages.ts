import type { FailureDocument } from './lambda-errors.ts';

/** The input of a runtime thread. */
export type RuntimeInput = {
  codeFolder: string;
  module: string;
  handler: string;
  functionName: string;
  functionArn: string;
  compileCacheFolder: string;
  /** The endpoint of the embedded services, if calls to them are sent as messages to the main thread. */
  interceptedEndpoint: string | undefined;
};

/** `event` is JSON text. `deadlineMs` is epoch milliseconds. */
export type RuntimeRequest = { requestId: string; event: string; deadlineMs: number };

/** Answers arrive in the order in which invocations end. */
export type RuntimeResult =
  | { requestId: string; result: string; failure?: undefined }
  | { requestId: string; result?: undefined; failure: FailureDocument };

/**
 * A signed request of a function to an embedded service. `headers` alternates names and values. `callId` is unique
 * in the thread.
 */
export type ServiceCall = { callId: number; method: string; path: string; headers: string[]; body: string };

export type ServiceResult = {
  callId: number;
  statusCode: number;
  /** By name in lower case. */
  headers: Record<string, string>;
  body: string;
};

/** What a runtime thread receives, several in a message. */
export type RuntimeMessage = RuntimeRequest | ServiceResult;
