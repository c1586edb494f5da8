/** What a worker can be asked to do. One job is one run of one of these, narrowed by its spec. */
export const jobKinds = ['probe', 'encode-video', 'encode-audio', 'package', 'thumbnails'] as const;
