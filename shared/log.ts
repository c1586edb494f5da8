import { Logger } from '@aws-lambda-powertools/logger';

/** The one logger: JSON lines with the function, the request and what `appendKeys` adds, such as the video. */
export const log = new Logger();
