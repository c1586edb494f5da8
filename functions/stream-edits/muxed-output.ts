import { newUlid } from '../common/ids.ts';
import { numberedName } from '../common/numbered-name.ts';
import type { Output, Stream } from '../table/records.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';

type MuxedStream = Pick<Stream, 'ulid' | 'planNumber' | 'track' | 'createdAt'>;

/** The output of a muxed stream: one MP4 file, which is removed with the stream. */
export const newMuxedOutput = (
  { ulid, planNumber, track, createdAt }: MuxedStream,
  { video, outputs }: WholeVideo,
): Output => ({
  ulid: newUlid(),
  planNumber: video.planNumber,
  builtByPlan: planNumber,
  name: numberedName(track, new Set(outputs.map(({ name }) => name))),
  format: 'mp4',
  container: 'mp4',
  status: 'pending',
  streams: [ulid],
  work: {},
  bytes: null,
  entryKey: null,
  errorLog: null,
  createdAt,
  completedAt: null,
});

/** The audio of a muxed file: the first audio stream that is encoded, or none. */
export const firstAudioStream = (streams: Stream[]): Stream[] =>
  streams.filter(({ type, bytes }) => type === 'audio' && bytes !== null).slice(0, 1);
