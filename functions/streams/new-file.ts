import { newUlid } from '../../shared/ids.ts';
import { numberedName } from '../../shared/numbered-name.ts';
import { type Output, outputRecord, type Stream } from '../../shared/records.ts';
import type { Write } from '../../shared/table/items.ts';
import { keys } from '../../shared/table/keys.ts';
import { partIdItem } from '../../shared/table/record-ids.ts';
import type { WholeVideo } from '../../shared/table/videos.ts';

type Made = Pick<Stream, 'ulid' | 'run' | 'track' | 'createdAt'>;

/** The output that a muxed stream is. */
export const newFile = ({ ulid, run, track, createdAt }: Made, { video, outputs }: WholeVideo): Output => ({
  ulid: newUlid(),
  run: video.run,
  builtBy: run,
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

export const newFileWrites = (videoUlid: string, output: Output): Write[] => [
  {
    update: keys.outputs(videoUlid),
    set: { [`outputs.${output.ulid}`]: outputRecord.parse(output) },
    when: { exists: true },
  },
  { put: partIdItem('output', output.ulid, output.ulid, videoUlid) },
];
