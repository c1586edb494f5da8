import { Logger } from '@aws-lambda-powertools/logger';

/**
 * The only logger: JSON lines with the function, the request and the keys that `appendKeys` adds, such as the video.
 */
export const log = new Logger();

/** Adds the video, and the plan if it is known, to all following lines. An instance works on one video at a time. */
export function addVideoToLog(video: string, planNumber?: number): void {
  log.resetKeys();
  log.appendKeys({ video, ...(planNumber !== undefined && { planNumber }) });
}

/** Adds the ID that the response to a request has, `x-request-id`, to all following lines. */
export function addRequestToLog(requestId: string): void {
  log.resetKeys();
  log.appendKeys({ requestId });
}
