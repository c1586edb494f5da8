import { findBox, needBox, readBoxes } from '../isobmff/boxes.ts';
import { readBytes } from './read-bytes.ts';
import { fileName, type Report } from './rendition.ts';
import { readSampleEntry } from './sample-entry.ts';

/** Checks a progressive MP4: it has the tracks that its name says, the index comes first, tracks are whole and start together, every sample is in the file. */
export async function checkMp4(url: URL, report: Report): Promise<void> {
  const wrong = (what: string): void => report(fileName(url), what);
  try {
    const bytes = await readBytes(url);
    const types = readBoxes(bytes).map(({ type }) => type);
    if (types[0] !== 'ftyp') wrong('does not say what it is');
    if (types.indexOf('moov') > types.indexOf('mdat')) wrong('has its index behind its media');
    const moov = needBox(bytes, 'moov');
    const movieTimescale = needBox(moov, 'mvhd').readUInt32BE(12);
    const mdat = needBox(bytes, 'mdat');
    const mediaStart = mdat.byteOffset - bytes.byteOffset;
    const media = { start: mediaStart, end: mediaStart + mdat.length };
    const traks = readBoxes(moov).filter(({ type }) => type === 'trak');
    if (traks.length === 0) wrong('has no track');
    const hasVideo = traks.some(({ payload }) => readSampleEntry(payload).kind === 'video');
    const isNamedAudio = url.pathname.endsWith('.m4a');
    if (hasVideo && isNamedAudio) wrong('has the name of an audio file, and a video track');
    if (!hasVideo && !isNamedAudio) wrong('has no video track, so its name should end in .m4a');
    const starts = traks.map(({ payload }, index) =>
      checkTrack(payload, { movieTimescale, media }, (what) => wrong(`track ${index} ${what}`)),
    );
    if (Math.min(...starts) > 0.001) wrong(`shows nothing before ${Math.min(...starts)} s`);
  } catch (error) {
    wrong(`cannot be read: ${(error as Error).message}`);
  }
}

type File = { movieTimescale: number; media: { start: number; end: number } };

/** The second of the film at which a track starts. */
function checkTrack(trak: Buffer, file: File, wrong: (what: string) => void): number {
  const { kind } = readSampleEntry(trak);
  const table = needBox(trak, 'mdia', 'minf', 'stbl');
  const timescale = needBox(trak, 'mdia', 'mdhd').readUInt32BE(12);
  const durations = runs(needBox(table, 'stts'));
  const sizes = sampleSizes(needBox(table, 'stsz'));
  if (durations.length !== sizes.length) wrong(`has ${durations.length} times for ${sizes.length} samples`);
  if (sizes.length === 0) wrong('is empty');
  const offsets = findBox(table, 'ctts');
  const compositions = offsets ? runs(offsets, true) : [];
  let decodeTicks = 0;
  const shown = durations.map((duration, sample) => {
    const ticks = decodeTicks + (compositions[sample] ?? 0);
    decodeTicks += duration;
    return ticks;
  });
  checkPlaces(table, sizes, file.media, wrong);
  const keyFrames = findBox(table, 'stss');
  // without a list all are key frames
  if (kind === 'video' && keyFrames && keyFrames.readUInt32BE(8) !== 1) wrong('does not start with a key frame');
  const { mediaTicks, emptySeconds, playedSeconds } = edits(trak, file.movieTimescale);
  const first = Math.min(...shown);
  if (kind === 'video' && mediaTicks !== first) {
    wrong(`is shown from tick ${mediaTicks} on, its first frame is at ${first}`);
  }
  const seconds = playedSeconds ?? (decodeTicks - mediaTicks) / timescale;
  const end = (Math.max(...shown) + (durations.at(-1) ?? 0) - mediaTicks) / timescale;
  if (kind === 'video' && Math.abs(seconds - end) > 2 / file.movieTimescale + 1e-3) {
    wrong(`is shown for ${seconds} s, its frames last ${end} s`);
  }
  return emptySeconds;
}

function checkPlaces(table: Buffer, sizes: number[], media: File['media'], wrong: (what: string) => void): void {
  const wide = findBox(table, 'co64');
  const box = wide ?? needBox(table, 'stco');
  const places = Array.from({ length: box.readUInt32BE(4) }, (_, n) =>
    wide ? Number(box.readBigUInt64BE(8 + 8 * n)) : box.readUInt32BE(8 + 4 * n),
  );
  const chunks = needBox(table, 'stsc');
  const steps = Array.from({ length: chunks.readUInt32BE(4) }, (_, n) => ({
    first: chunks.readUInt32BE(8 + 12 * n),
    samples: chunks.readUInt32BE(12 + 12 * n),
  }));
  let sample = 0;
  for (const [index, place] of places.entries()) {
    const count = steps.findLast(({ first }) => first <= index + 1)?.samples ?? 0;
    const bytes = sizes.slice(sample, sample + count).reduce((sum, size) => sum + size, 0);
    sample += count;
    if (place < media.start || place + bytes > media.end) wrong(`has samples outside of the media, at byte ${place}`);
  }
  if (sample !== sizes.length) wrong(`has places for ${sample} of ${sizes.length} samples`);
}

/** An edit list of at most one pause and one stretch, which is all that delay and priming need. */
function edits(trak: Buffer, movieTimescale: number) {
  const elst = findBox(trak, 'edts', 'elst');
  let [mediaTicks, emptySeconds] = [0, 0];
  let playedSeconds: number | undefined;
  const wide = elst?.[0] === 1;
  for (let n = 0; elst && n < elst.readUInt32BE(4); n++) {
    const at = 8 + n * (wide ? 20 : 12);
    const seconds = (wide ? Number(elst.readBigUInt64BE(at)) : elst.readUInt32BE(at)) / movieTimescale;
    const start = wide ? Number(elst.readBigInt64BE(at + 8)) : elst.readInt32BE(at + 4);
    if (start === -1) emptySeconds += seconds;
    else [mediaTicks, playedSeconds] = [start, seconds];
  }
  return { mediaTicks, emptySeconds, playedSeconds };
}

/** Values of a table of runs: how many, then what. */
function runs(box: Buffer, signed = false): number[] {
  const all: number[] = [];
  for (let n = 0; n < box.readUInt32BE(4); n++) {
    const value = signed ? box.readInt32BE(12 + 8 * n) : box.readUInt32BE(12 + 8 * n);
    for (let left = box.readUInt32BE(8 + 8 * n); left > 0; left--) all.push(value);
  }
  return all;
}

function sampleSizes(stsz: Buffer): number[] {
  const [same, count] = [stsz.readUInt32BE(4), stsz.readUInt32BE(8)];
  return Array.from({ length: count }, (_, n) => same || stsz.readUInt32BE(12 + 4 * n));
}
