import { type Rational, rational } from '../../shared/media/rational.ts';
import type { VideoRange } from '../../shared/media/video-range.ts';
import type { TrackBox } from './parse-boxes.ts';

/** Properties of a track from its sample entry (ISO/IEC 14496-12, 12). */
export type SampleEntry = {
  kind: 'video' | 'audio';
  width: number | null;
  height: number | null;
  sampleAspectRatio: Rational;
  videoRange: VideoRange | null;
  channels: number | null;
  /** the end of the codec string of AV1 and VP9 whose colours are not BT.709; mp4box has the part before it */
  codecFields: string;
};

type VisualFields = {
  width: number;
  height: number;
  pasp?: { hSpacing: number; vSpacing: number };
  colr?: Color;
  av1C?: { chroma_sample_position: number };
  vpcC?: { chromaSubsampling: number };
};
type AudioFields = { esds?: { esd: Descriptor }; dOps?: { OutputChannelCount: number } };
/** A descriptor of MPEG-4 Systems (ISO/IEC 14496-1, 7.2.2). */
type Descriptor = { data?: Uint8Array; findDescriptor: (tag: number) => Descriptor | null };
const decoderConfigTag = 4;
const decoderSpecificInfoTag = 5;
type Color = {
  colour_type: string;
  colour_primaries: number;
  transfer_characteristics: number;
  matrix_coefficients: number;
  full_range_flag: number;
};

const square = rational(1, 1);

/** Transfer characteristics by their number in ISO/IEC 23091-2. */
const ranges: Record<number, VideoRange> = { 16: 'PQ', 18: 'HLG' };

/** Throws RangeError when the track has no sample entry. */
export function readSampleEntry({ mdia }: TrackBox): SampleEntry {
  const entry = mdia.minf.stbl.stsd.entries[0];
  if (!entry) throw new RangeError('no sample entry');
  return mdia.hdlr.handler === 'vide' ? visualEntry(entry as never) : audioEntry(entry as never);
}

const visualEntry = (fields: VisualFields): SampleEntry => ({
  kind: 'video',
  width: fields.width,
  height: fields.height,
  sampleAspectRatio: fields.pasp ? rational(fields.pasp.hSpacing, fields.pasp.vSpacing) : square,
  videoRange: (fields.colr?.colour_type === 'nclx' && ranges[fields.colr.transfer_characteristics]) || 'SDR',
  channels: null,
  codecFields: codecFields(fields),
});

/** Renditions are 4:2:0. */
function codecFields({ colr, av1C, vpcC }: VisualFields): string {
  if (colr?.colour_type !== 'nclx' || !(av1C || vpcC)) return '';
  const codes = [colr.colour_primaries, colr.transfer_characteristics, colr.matrix_coefficients];
  if (codes.every((code) => code === 1) && colr.full_range_flag === 0) return '';
  const colors = codes.map((code) => String(code).padStart(2, '0')).join('.');
  return av1C
    ? `.0.11${av1C.chroma_sample_position}.${colors}.${colr.full_range_flag}`
    : `.0${vpcC?.chromaSubsampling}.${colors}.0${colr.full_range_flag}`;
}

function audioEntry({ esds, dOps }: AudioFields): SampleEntry {
  const channels = dOps ? dOps.OutputChannelCount : esds ? aacChannels(esds) : null;
  return {
    kind: 'audio',
    width: null,
    height: null,
    sampleAspectRatio: square,
    videoRange: null,
    channels,
    codecFields: '',
  };
}

/** From the AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1): the channel count of the sample entry is 2 for any AAC. */
function aacChannels({ esd }: NonNullable<AudioFields['esds']>): number | null {
  const config = esd.findDescriptor(decoderConfigTag)?.findDescriptor(decoderSpecificInfoTag)?.data;
  if (!config || config.length < 2) return null;
  const configuration = (config[1]! >> 3) & 0x0f;
  return configuration === 7 ? 8 : configuration;
}
