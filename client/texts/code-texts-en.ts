import type { components } from '../api-types.ts';
import { type Facts, factTexts } from './fact-texts.ts';

type Schemas = components['schemas'];
export type FailureCode = Schemas['JobErrorCode'];
export type DecisionCode = Schemas['Decision']['code'];
export type ErrorCode = Schemas['ErrorCode'];
export type FieldErrorCode = Schemas['FieldErrorCode'];

const { one, list, isOne, word } = factTexts('en');

/** The track or tracks in the fact `streams`. */
const tracks = (facts: Facts, kind: string): string =>
  isOne(facts.streams) ? `${kind} track ${one(facts.streams)}` : `${kind} tracks ${list(facts.streams)}`;

const areLeftOut = (facts: Facts): string => (isOne(facts.streams) ? 'is left out' : 'are left out');

const choiceReasons: Record<string, string> = {
  role: 'the others are marked for some viewers only',
  default: 'it is the default track',
  length: 'it is the longest',
  size: 'it has the largest picture',
  order: 'it is the first',
};

const videoReasons: Record<string, string> = {
  auxiliary: 'not meant for viewers, such as a depth map',
  unsupported: 'cannot be decoded',
  pictures: 'only a few pictures',
};

const textReasons: Record<string, string> = {
  telemetry: 'data of the camera',
  format: 'a format that cannot be converted',
  number: 'too many tracks',
  language: 'another track has the same language and kind',
};

/**
 * The texts of codes of the API, for people. Every language has the same keys. The dashboard and the command line use
 * them; the API also has an English sentence beside most codes.
 */
export const codeTextsEn = {
  /** Of videos and of their outputs and streams. */
  statuses: {
    pending: 'Waiting',
    queued: 'Waiting',
    downloading: 'Preparing',
    running: 'Encoding',
    uploading: 'Packaging',
    completed: 'Ready',
    failed: 'Failed',
    cancelled: 'Cancelled',
    fetching: 'Fetching',
    stored: 'Stored',
  },
  failures: {
    INPUT_EMPTY: 'The file is empty',
    INPUT_NOT_MEDIA: 'The file is not a video or audio file',
    INPUT_NO_TRACKS: 'The file has no video and no audio',
    INPUT_TRUNCATED: 'The file is incomplete',
    INPUT_DAMAGED: 'The file is damaged',
    INPUT_ENCRYPTED: 'The file is encrypted',
    INPUT_TOO_LARGE: 'The file is too large',
    INPUT_CLIP_EMPTY: 'The clip has no frame of the file',
    INPUT_UNSUPPORTED: 'The format is not supported',
    INPUT_CROP_EMPTY: 'The crop leaves too little of the picture',
    INPUT_TRACK_MISSING: 'The file lacks a track that was chosen',
    INPUT_GONE: 'The original does not exist any more',
    INPUT_UNREACHABLE: 'The server of the URL does not send the file',
    INPUT_CHANGED: 'The file at the URL has changed',
    INPUT_ADDRESS: 'The address of the URL is not allowed',
    STORAGE_REFUSED: 'The storage refused the files',
    STORAGE_FAILED: 'The storage did not take the files',
    STORAGE_ADDRESS: 'The address of the storage is not allowed',
    STORAGE_MISMATCH: 'The storage has other bytes than were sent',
    STORAGE_GONE: 'The owner of the video has no such storage',
    VIDEO_CHANGED: 'The video changed while it was copied',
    FILES_MISSING: 'The video does not have the files to copy',
    OUTPUT_NO_STREAMS: 'No stream is left for the output',
    QUOTA_EXCEEDED: 'The quota is used up',
    REPLACE_CONFLICT: 'The source could not be replaced',
    OUTPUT_MISMATCH: 'The result did not match the plan',
    RESULT_REFUSED: 'The result was refused',
    ENCODER_FAILED: 'The encoder failed',
    ENCODER_STALLED: 'The encoder made no progress',
    TIME_LIMIT: 'It took too long',
    MEMORY_LIMIT: 'It needed too much memory',
    DISK_FULL: 'The disk of the worker was full',
    STORE_FAILED: 'The store did not answer',
    MODEL_UNUSABLE: 'The model of speech cannot be used',
    CANCELLED: 'Cancelled',
    WORKER_STOPPED: 'The worker stopped',
    INTERNAL: 'Internal error',
  } satisfies Record<FailureCode, string>,
  noReason: 'The service gave no reason',
  decisions: {
    video_track_chosen: (facts) =>
      `Of the video tracks, track ${one(facts.stream)} is encoded: ${word(choiceReasons, facts.reason)}. Left out: ${list(facts.streams)}.`,
    video_track_left_out: (facts) =>
      `${tracks(facts, 'Video')} ${areLeftOut(facts)}: ${word(videoReasons, facts.reason)}.`,
    audio_track_chosen: (facts) =>
      facts.reason === 'role'
        ? `Audio track ${one(facts.stream)} is the main one: the default track is for some viewers only.`
        : `Audio track ${one(facts.stream)} is the main one: it comes first, and the file does not mark one track as default.`,
    audio_track_left_out: (facts) =>
      facts.streams === undefined
        ? `Audio tracks are left out, because the file has more than can be used: ${one(facts.tracks)}.`
        : `${tracks(facts, 'Audio')} ${areLeftOut(facts)}: no output has a place for ${isOne(facts.streams) ? 'it' : 'them'}.`,
    audio_tracks_joined: (facts) =>
      `${tracks(facts, 'Audio')} are mono and equally long: they are the ${one(facts.channels)} channels of one track.`,
    program_chosen: (facts) =>
      `Program ${one(facts.program)} of the file is used. Upload the others as separate files: the file has the programs ${list(facts.programs)}.`,
    text_track_left_out: (facts) =>
      `${tracks(facts, 'Text')} ${areLeftOut(facts)}: ${word(textReasons, facts.reason)}.`,
    frame_rate_chosen: (facts) =>
      `The frame rate of the source varies, ${one(facts.average_fps)} on average: ${one(facts.fps)} frames per second are used.`,
    frame_rate_capped: (facts) =>
      `The source has ${one(facts.source_fps)} frames per second, and at most ${one(facts.limit_fps)} are asked for: ${one(facts.fps)} are used.`,
    track_extended: (facts) =>
      facts.track === 'audio'
        ? `Audio track ${list(facts.streams)}: ${one(facts.seconds)} s of silence are added at the ${one(facts.side)}.`
        : `The ${facts.side === 'start' ? 'first' : 'last'} picture is shown for ${one(facts.seconds)} s more, because the audio is longer.`,
    level_raised: (facts) =>
      `${one(facts.stream)} has level ${one(facts.level)} instead of ${one(facts.asked)}, which its frame size and rate exceed.`,
    frame_size_chosen: (facts) =>
      `The frame size changes: the video has ${one(facts.size)} pixels, and other frames are fitted into them.`,
    picture_cropped: (facts) =>
      `The edges of the picture that the file declares as invisible are cut off, in pixels: ${one(facts.left)} left, ${one(facts.right)} right, ${one(facts.top)} top, ${one(facts.bottom)} bottom.`,
    picture_unchanged: (facts) =>
      `The picture is not changed: the source is a 360° video (${one(facts.projection)}), which cannot be cropped, rotated or flipped.`,
    transparency_composited: (facts) =>
      `Transparent parts of the video are shown over the colour ${one(facts.background)}.`,
    color_assumed: (facts) =>
      `The file does not say all about its colours. Assumed: ${list(Object.values(facts).flat())}.`,
  } satisfies Record<DecisionCode, (facts: Facts) => string> as Record<DecisionCode, (facts: Facts) => string>,
  /** `limit` is the bound that the value exceeds. */
  fields: {
    required: () => 'This is required.',
    prohibited: () => 'This is not allowed here.',
    wrong_type: () => 'Enter a value of the right kind.',
    too_short: (limit) => `Enter at least ${limit} characters.`,
    too_long: (limit) => `Enter at most ${limit} characters.`,
    too_few: (limit) => `Give at least ${limit}.`,
    too_many: (limit) => `Give at most ${limit}.`,
    too_small: (limit) => `Enter ${limit} or more.`,
    too_large: (limit) => `Enter ${limit} or less.`,
    format: () => 'This does not have the right form.',
    email: () => 'Enter an email address.',
    url: () => 'Enter a complete URL, such as https://example.com/file.',
    date: () => 'Enter a date that exists.',
    unknown: () => 'Choose one that exists.',
    taken: () => 'This is used already. Enter another one.',
    credentials: () => 'The email address or the password is wrong.',
    wrong_password: () => 'The password is wrong.',
    confirmation: () => 'The passwords are not the same.',
    leaked_password: () => 'Many people use this password, so it is easy to guess. Choose another one.',
    scheme: () => 'The URL must begin with https://. Only files to fetch may be at http://.',
    url_credentials: () => 'Leave out the user name and the password of the URL.',
    not_public: () => 'The host of the URL must have public addresses only.',
    loopback: () =>
      'This is the machine of the service itself. For tests on one machine, start it with ALLOW_LOOPBACK_TARGETS=on.',
    no_ipv6: () => 'The service has no outgoing IPv6 connections. Enter the IPv4 address of the server.',
    node_address: () => 'This cannot be the address of a server.',
    key_format: () => 'The key cannot be read. Paste one key in OpenSSH or PEM format.',
    key_passphrase: () => 'The key has a passphrase. Paste one without.',
    key_type: () => 'The key must be Ed25519, ECDSA, or RSA with at least 2048 bits.',
    key_pair: () => 'The private key does not belong to the public key.',
    invalid: () => 'This value is not allowed.',
  } satisfies Record<FieldErrorCode, (limit: string) => string> as Record<FieldErrorCode, (limit: string) => string>,
  /** Why the service refuses a request. It says so in English itself, with the names of what is concerned. */
  errors: {} as Readonly<Partial<Record<ErrorCode, string>>>,
  /** A failure in one line: the text of its code, and the service's sentence, which has the particulars. */
  ofFailure: (failure: string, code: string, sentence: string) => `${failure} (${code}). ${sentence}`,
  /** A sentence of the service about a value, where its code says nothing more. */
  ofService: (sentence: string) => sentence,
  /** By slug. The names are those of the API, since templates get them. */
  presets: {
    'hls-auto-1080p': {
      name: 'HLS auto ladder up to 1080p',
      description:
        'H.264 of constant quality in fragmented MP4. The renditions follow from the source, never above it or 1080p. The recommended default.',
    },
    'hls-h264-fixed': {
      name: 'HLS H.264 fixed ladder',
      description: 'Four fixed renditions from 360p to 1080p with AAC stereo, in fragmented MP4.',
    },
    'hls-ts-compat': {
      name: 'HLS transport stream, wide device reach',
      description: 'H.264 Main and AAC in MPEG-TS segments for old set-top boxes and players.',
    },
    'hls-dash-hevc-4k': {
      name: 'HLS and DASH, HEVC up to 2160p',
      description: 'Automatic renditions of HEVC up to 2160p, shared by one HLS and one DASH output.',
    },
    'dash-vp9-opus': {
      name: 'DASH VP9 and Opus',
      description: 'Royalty-free codecs for browsers: VP9 of constant quality up to a bitrate, and Opus audio.',
    },
    'dash-av1': {
      name: 'DASH and HLS, AV1',
      description: 'Automatic renditions of AV1 up to 1440p: the lowest bitrates, and the longest encoding.',
    },
    'mp4-720p': {
      name: 'MP4 download 720p',
      description: 'One file with H.264 and AAC, for download and simple players.',
    },
    'audio-only': {
      name: 'Audio only',
      description: 'All audio tracks of the source as AAC in HLS, and the default track as one MP4 (M4A) file.',
    },
  },
};

/** The texts that every language has. */
export type CodeTexts = typeof codeTextsEn;
