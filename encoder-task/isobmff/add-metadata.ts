import type { Hdr10, Rung, VideoSource } from '../../shared/protocol/encode-spec.ts';
import type { Spherical } from '../../shared/protocol/probe-result.ts';
import { readBoxes } from './boxes.ts';
import { box, fullBox, uint16, uint32 } from './write-box.ts';

/**
 * Adds the HDR10 metadata to the sample entry of an init segment with one video track. Players that check it before
 * they decode need it there, and the bitstream of VP9 cannot carry it. ffmpeg does not write these boxes.
 */
export const addHdr10 = (init: Buffer, hdr10: Hdr10): Buffer =>
  addToSampleEntry(init, (type) => (type === 'vp09' ? vp9Boxes(hdr10) : boxes(hdr10)));

/** `boxesFor` gets the type of the sample entry. */
function addToSampleEntry(init: Buffer, boxesFor: (type: string) => Buffer[]): Buffer {
  return replaceBox(init, ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd'], (stsd) => {
    const [entry, ...others] = readBoxes(stsd.subarray(8));
    if (!entry || others.length > 0) throw new RangeError('not exactly one sample entry');
    return Buffer.concat([stsd.subarray(0, 8), box(entry.type, entry.payload, ...boxesFor(entry.type))]);
  });
}

/** Replaces the payload of the boxes at `path`, and corrects the sizes of their parent boxes. */
function replaceBox(bytes: Buffer, [next, ...path]: string[], change: (payload: Buffer) => Buffer): Buffer {
  if (next === undefined) return change(bytes);
  return Buffer.concat(
    readBoxes(bytes).map(({ type, payload }) => box(type, type === next ? replaceBox(payload, path, change) : payload)),
  );
}

/** mdcv, with primaries in the order green, blue, red, and clli (ISO/IEC 14496-12). */
function boxes({ screen, light }: Hdr10): Buffer[] {
  return [
    ...(screen
      ? [
          box(
            'mdcv',
            ...[screen.green, screen.blue, screen.red, screen.white].flat().map(uint16),
            uint32(screen.maxLuminance),
            uint32(screen.minLuminance),
          ),
        ]
      : []),
    ...(light ? [box('clli', uint16(light.maxContent), uint16(light.maxFrameAverage))] : []),
  ];
}

/**
 * SmDm and CoLL (VP Codec ISO Media File Format Binding): chromaticities in 1/65,536, red first; luminance with 8 and
 * 14 fraction bits.
 */
function vp9Boxes({ screen, light }: Hdr10): Buffer[] {
  const fraction = (value: number): Buffer => uint16(Math.min(0xffff, Math.round((value * 65_536) / 50_000)));
  const version = uint32(0);
  return [
    ...(screen
      ? [
          box(
            'SmDm',
            version,
            ...[screen.red, screen.green, screen.blue, screen.white].flat().map(fraction),
            uint32(Math.min(0xffff_ffff, Math.round((screen.maxLuminance * 2 ** 8) / 10_000))),
            uint32(Math.min(0xffff_ffff, Math.round((screen.minLuminance * 2 ** 14) / 10_000))),
          ),
        ]
      : []),
    ...(light ? [box('CoLL', version, uint16(light.maxContent), uint16(light.maxFrameAverage))] : []),
  ];
}

/**
 * Whether a rendition can be projected like the source: the projection covers the whole frame, so nothing may be cut
 * off or added. Of other projections than the usual one, the parameters are not read.
 */
export const keepsProjection = ({ spherical, visible }: VideoSource, { crop, pad }: Rung): boolean =>
  spherical?.projection === 'equirectangular' && !visible && !crop && !pad;

/** 16 bits before and after the point, in two's complement. */
const fixedPoint = (value: number): number => (value * 2 ** 16) >>> 0;

const stereoModes: Record<Spherical['stereo'], number> = { mono: 0, 'top-bottom': 1, 'left-right': 2 };

/** Adds st3d and sv3d to the sample entry of an init segment (Spherical Video V2 RFC of Google). */
export const addSpherical = (init: Buffer, { stereo, pose }: Spherical): Buffer => {
  const noSource = Buffer.from([0]);
  const turn = uint32(...[pose?.yaw, pose?.pitch, pose?.roll].map((degrees = 0) => fixedPoint(degrees)));
  const wholeFrame = uint32(0, 0, 0, 0);
  return addToSampleEntry(init, () => [
    fullBox('st3d', 0, Buffer.from([stereoModes[stereo]])),
    box('sv3d', fullBox('svhd', 0, noSource), box('proj', fullBox('prhd', 0, turn), fullBox('equi', 0, wholeFrame))),
  ]);
};
