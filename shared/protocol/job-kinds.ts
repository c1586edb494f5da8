/** The kinds of jobs for workers. The spec of a job says what exactly to do. */
export const jobKinds = ['probe', 'encode-video', 'encode-audio', 'package', 'thumbnails'] as const;
