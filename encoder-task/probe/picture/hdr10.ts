import * as z from 'zod';
import type { Hdr10 } from '../../../shared/protocol/encode-spec.ts';

const text = z.string().max(64).optional().catch(undefined);
const integer = z.int().optional().catch(undefined);

const sideData = z
  .array(
    z.object({
      side_data_type: text,
      red_x: text,
      red_y: text,
      green_x: text,
      green_y: text,
      blue_x: text,
      blue_y: text,
      white_point_x: text,
      white_point_y: text,
      max_luminance: text,
      min_luminance: text,
      max_content: integer,
      max_average: integer,
    }),
  )
  .optional()
  .catch(undefined);
const carrier = z.object({ side_data_list: sideData });
const firstFrameSchema = z.object({
  frames: z.array(carrier).optional().catch(undefined),
  streams: z.array(carrier).optional().catch(undefined),
});

type SideData = NonNullable<z.infer<typeof sideData>>[number];

const largest = { chromaticity: 0xffff, luminance: 0xffff_ffff, light: 0xffff };

/**
 * HDR10 metadata from ffprobe's output for a stream and its first frame; null without any. The bitstream has priority
 * over the container. Values out of range are ignored.
 */
export function readHdr10(document: unknown): Hdr10 | null {
  const { frames = [], streams = [] } = firstFrameSchema.parse(document);
  const found = [...frames, ...streams].flatMap(({ side_data_list }) => side_data_list ?? []);
  const screen = firstOf(found, 'Mastering display metadata', screenOf);
  const light = firstOf(found, 'Content light level metadata', lightOf);
  return screen || light ? { screen, light } : null;
}

function firstOf<Found>(all: SideData[], type: string, read: (data: SideData) => Found | null): Found | null {
  for (const data of all) {
    const found = data.side_data_type === type ? read(data) : null;
    if (found) return found;
  }
  return null;
}

function screenOf(data: SideData): Hdr10['screen'] {
  const point = (x: string | undefined, y: string | undefined): [number, number] => [
    inUnits(x, 50_000, largest.chromaticity),
    inUnits(y, 50_000, largest.chromaticity),
  ];
  const screen = {
    red: point(data.red_x, data.red_y),
    green: point(data.green_x, data.green_y),
    blue: point(data.blue_x, data.blue_y),
    white: point(data.white_point_x, data.white_point_y),
    maxLuminance: inUnits(data.max_luminance, 10_000, largest.luminance),
    minLuminance: inUnits(data.min_luminance, 10_000, largest.luminance),
  };
  return Object.values(screen).flat().every(Number.isInteger) ? screen : null;
}

function lightOf({ max_content = 0, max_average = 0 }: SideData): Hdr10['light'] {
  const isKnown = max_content > 0 || max_average > 0;
  const fits = Math.min(max_content, max_average) >= 0 && Math.max(max_content, max_average) <= largest.light;
  return isKnown && fits ? { maxContent: max_content, maxFrameAverage: max_average } : null;
}

/** A rational such as `34000/50000` in integer units; NaN when it is invalid or out of range. */
function inUnits(value: string | undefined, unitsPerOne: number, most: number): number {
  const [, num, den] = /^(\d+)\/(\d+)$/.exec(value ?? '') ?? [];
  const units = Math.round((Number(num) * unitsPerOne) / Number(den));
  return units <= most ? units : Number.NaN;
}
