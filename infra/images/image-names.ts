export const architectures = ['x86_64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

export const imageRepositoryName = (stage: string): string => `video-service-${stage}`;

/** The function that runs the image of the worker; the repository lets no other function use its images. */
export const earlyWorkerHandler = 'early-worker';

/** The tag of an image is its kind and the hash of its sources. Lifecycle rules select images by kind. */
export const imageKind = (name: 'worker' | 'proxy', architecture: Architecture): string => `${name}-${architecture}`;

export const imageKinds = (['worker', 'proxy'] as const).flatMap((name) =>
  architectures.map((architecture) => imageKind(name, architecture)),
);
