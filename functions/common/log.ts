import { Logger } from '@aws-lambda-powertools/logger';

/** The one logger: JSON lines with the function, the request and what `appendKeys` adds, such as the video. */
export const log = new Logger();

/** Every line from now on names the video, and the run if it is known: an instance works on one at a time. */
export function addVideoToLog(video: string, planNumber?: number): void {
  log.resetKeys();
  log.appendKeys({ video, ...(planNumber !== undefined && { planNumber }) });
}
