import type { Client } from '../../../test/journey/support/client.ts';
import type { Random } from '../random.ts';
import type { RestartableService } from '../service/restartable-service.ts';
import type { CustomerStorage } from '../store/customer-storage.ts';
import type { EventWatch } from '../watched/event-watch.ts';
import type { PlaybackWatch } from '../watched/playback-watch.ts';

/**
 * A fault that is injected while videos are processed. `npm run faults` runs many of them, a few at a time, in an order
 * and with choices from a seed, and then checks the invariants of `invariants.ts`.
 *
 * A fault uploads its videos, waits for its moment, causes the fault and returns. The runner waits for the end of the
 * videos, for a limited time, and compares them with the expected status. Before it returns or throws, a fault restores
 * what it changed (a switch, a suspended process) and restarts a service that it killed. It throws MomentMissed if its
 * moment did not occur, and any other error for a violation. Other faults run at the same time: any call can be
 * interrupted by a restart, and any worker can get its jobs.
 */
export type Fault = {
  /** Name in the output, such as `kill -9 of a worker`. Unique. */
  name: string;
  /** Relative frequency; 1 by default. */
  weight?: number;
  /** Takes minutes, such as waiting for the expiry of a lease; not part of the short run. */
  slow?: boolean;
  inject(context: FaultContext): Promise<void>;
};

/** Faults of one kind, with the environment that the service needs for them. */
export type FaultSet = {
  faults: Fault[];
  /**
   * Called once before the first start of the service, with a folder of the set. The result is added to the environment
   * of the service at each start, such as `{ NODE_OPTIONS: '--import=file:///…' }`. `PATH` is prepended to the existing
   * one; `NODE_OPTIONS` of several sets are joined. Workers that the service starts inherit only `PATH`.
   */
  environment?(folder: string): Promise<Record<string, string>>;
};

export type FaultContext = {
  /** The running service: addresses, processes, stored data, and functions to kill and restart it. */
  service: RestartableService;
  /** The public API as a user of this fault only. Calls are retried while the service is unavailable. */
  client: Client;
  random: Random;
  /** The folder that `environment` of the set received. */
  folder: string;
  /** Detail for the output line of the fault: what was hit, and when. */
  note(text: string): void;
  /** Uploads a clip; resolves when the upload is complete. */
  startVideo(options?: VideoOptions): Promise<StartedVideo>;
  /** Resolves when a video is completed or failed, without a timeout: faults of other videos may delay it. */
  untilDone(video: StartedVideo): Promise<void>;
  /**
   * Resolves when the execution of a video enters or leaves a state, or has done so before. @throws after three
   * minutes, or when the execution ends before
   */
  stateReached(video: StartedVideo, edge: Edge): Promise<void>;
  /** The viewer of a video with the template `early`. */
  playbackOf(video: StartedVideo): PlaybackWatch;
  /** The bucket to which the files of videos with the templates `quick` and `copied` are copied. */
  storage: CustomerStorage;
  /** The receiver of the webhooks of all users. */
  events: EventWatch;
  /** All ffmpeg processes that currently encode chunks of a video. */
  encodersOf(video: StartedVideo): Promise<EncoderProcess[]>;
  /** Process id of an ffmpeg that encodes for this video, as soon as there is one. @throws after three minutes */
  encoderOf(video: StartedVideo): Promise<EncoderProcess>;
};

export type VideoOptions = {
  /**
   * `quick` (the default): 8 s of 160×90 in two chunks, with audio, HLS, MP4 and a poster; one or two CPU seconds.
   * `slow`: the same, but each chunk takes seconds, so that a fault can occur while it is encoded. `early`: 24 s of
   * 640×360 that plays long before it is completed; a viewer watches it. `refused`: a sound without video, whose eight
   * outputs fail when they are planned. `copied`: as `quick`, with 20 MiB of padding in the uploaded file, which is
   * copied to a storage too.
   */
  template?: TemplateName;
  /** The required final status. */
  ends?: Ending;
  /** Names of files and formats that a completed video may lack. */
  mayLack?: RegExp;
  /** Errors with which its deliveries may fail. */
  mayNotDeliver?: RegExp;
};

export type TemplateName = 'quick' | 'slow' | 'early' | 'refused' | 'copied';

/**
 * `failed`: with a matching reason. `deleted`: by the fault. `settled`: completed, or failed with any stable code.
 * `any`: ended or deleted.
 */
export type Ending = 'completed' | 'deleted' | 'settled' | 'any' | { failed: RegExp };

export type StartedVideo = {
  ulid: string;
  template: TemplateName;
  ends: Ending;
  mayLack?: RegExp | undefined;
  mayNotDeliver?: RegExp | undefined;
};

export type Edge = { state: StateName; edge: 'entered' | 'left' };

/** The states of `infra/state-machine`. */
export const stateNames = [
  'CreateVideo',
  'Probe',
  'Plan',
  'EncodeVideo',
  'EncodeAudio',
  'MakeThumbnails',
  'PackageOutputs',
  'Publish',
] as const;
export type StateName = (typeof stateNames)[number];

export type EncoderProcess = {
  /** of ffmpeg */
  encoder: number;
  /** of the encoder-task process that started it */
  worker: number;
};
