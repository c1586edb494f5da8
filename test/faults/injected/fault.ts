import type { Client } from '../../journey/support/client.ts';
import type { Random } from '../random.ts';
import type { RestartableService } from '../service/restartable-service.ts';

/**
 * One thing that goes wrong while videos are processed. `npm run faults` lets many happen, a few at a time, in an order and with choices that a seed
 * decides, and then holds what is left to the invariants of `invariants.ts`.
 *
 * A fault starts the videos that it is about, waits for its moment, does its damage, and returns. It need not wait for the videos' end: the runner
 * does, for a bounded time, and compares each with how it was expected to end. What a fault took away (a switch, a stopped process) it gives back
 * before it returns, also when it throws; a service that it has killed it starts again. It throws MomentMissed when it found no
 * moment for its damage, and any other error for what must not be. Other faults go on meanwhile, so it must not rely on being alone: any call may be interrupted by a
 * restart, and any worker may get its job.
 */
export type Fault = {
  /** Short words for the line that is printed, such as `kill -9 of a worker`. Unique. */
  name: string;
  /** How often beside the others; 1 unless given. */
  weight?: number;
  /** Takes minutes, such as outlasting a lease: left out of the short run. */
  slow?: boolean;
  inject(context: FaultContext): Promise<void>;
};

/** Faults of one kind, and what the service has to be started with for them. */
export type FaultSet = {
  faults: Fault[];
  /**
   * Called once before the service's first start, with a folder of the set's own. The answer is added to the environment of the service at every
   * start of the run, e.g. `{ NODE_OPTIONS: '--import=file:///…' }`. `PATH` is put before the present one, `NODE_OPTIONS` of several sets are
   * joined. Of all that, the workers which the service starts inherit `PATH` alone.
   */
  environment?(folder: string): Promise<Record<string, string>>;
};

export type FaultContext = {
  /** The running service: addresses, processes, what is stored, and how to kill and restart it. */
  service: RestartableService;
  /** The public API as a user whom no other fault has at the time. Calls that meet a service that is away are tried again. */
  client: Client;
  random: Random;
  /** The folder that the set's `environment` was given. */
  folder: string;
  /** A sentence part for the fault's line: what was hit, and when. */
  note(text: string): void;
  /** Uploads a clip; resolves when the upload is complete. */
  startVideo(options?: VideoOptions): Promise<StartedVideo>;
  /** Resolves when a video is completed or failed, however long others hold it up: what dies beside it may have had its jobs. */
  untilDone(video: StartedVideo): Promise<void>;
  /** Resolves when the execution of a video enters or leaves a state, or has done so before. @throws after three minutes, or when the execution ends first */
  stateReached(video: StartedVideo, edge: Edge): Promise<void>;
  /** Every ffmpeg that encodes chunks of a video at the moment. */
  encodersOf(video: StartedVideo): Promise<EncoderProcess[]>;
  /** Process id of an ffmpeg that encodes for this video; resolves as soon as there is one. @throws after three minutes */
  encoderOf(video: StartedVideo): Promise<EncoderProcess>;
};

export type VideoOptions = {
  /**
   * `quick` (the default): 8 s of 160×90 in two chunks, sound, HLS and MP4 and a poster; over in a second or two of CPU.
   * `slow`: the same, but each chunk takes seconds, so that it can be met while it is encoded.
   */
  template?: TemplateName;
  /** How it has to end, whatever happens. */
  ends?: Ending;
  /** Names of files and formats that a completed video may be without. */
  mayLack?: RegExp;
};

export type TemplateName = 'quick' | 'slow';

/** `failed`: with a reason that matches. `deleted`: the fault has deleted it. `settled`: completed, or failed with any stable code. */
export type Ending = 'completed' | 'deleted' | 'settled' | { failed: RegExp };

export type StartedVideo = { ulid: string; template: TemplateName; ends: Ending; mayLack?: RegExp | undefined };

export type Edge = { state: StateName; edge: 'entered' | 'left' };

/** The states of `infra/states` that operators know by name. */
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
