/** The log line of a video that failed, which the dashboard queries. */
export const videoFailed = 'video failed';

/** The functions that write it. */
export const videoFailedHandlers = ['create-video', 'fail', 'publish', 'reconcile'];
