import { finishedTracks, requireTrack, trackBytes } from '../../job-results/finished-tracks.ts';
import { progressiveOutput } from '../../packaging/output-contents.ts';
import { fileMeta, trackMeta } from '../../packaging/track-meta.ts';
import { readPlan } from '../../stored-plans/stored-plans.ts';
import type { Stream, StreamEdit } from '../../table/records.ts';

/** The fields of a stream record that follow from the track or file that an edit has encoded. */
export async function encodedStream({ videoUlid, planNumber, type }: StreamEdit): Promise<Partial<Stream>> {
  const plan = await readPlan(videoUlid, planNumber);
  const tracks = await finishedTracks(videoUlid, planNumber, plan);
  const track = requireTrack(tracks, plan.streams[0]?.name);
  const { width = null, height = null } = track;
  if (type !== 'muxed') {
    const { language = null, channels = null } = track;
    return { width, height, language, channels, bytes: trackBytes(track), meta: trackMeta(track) };
  }
  const file = await progressiveOutput({ videoUlid, planNumber, group: 0 });
  const [audioName] = plan.outputs[0]?.audio ?? [];
  const audio = audioName === undefined ? undefined : requireTrack(tracks, audioName);
  const { language = null, channels = null } = audio ?? {};
  return { width, height, language, channels, bytes: file.bytes, meta: fileMeta(file, { video: track, audio }) };
}
