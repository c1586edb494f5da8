import type { components } from '../../../client/api-types.ts';

/** A source as POST /api/estimates takes it. */
export type Source = { width: number; height: number; fps: number; duration_seconds: number };

/** Usual sources, by the names of their messages. */
export const sourcePresets = {
  '2160p60': { width: 3840, height: 2160, fps: 60, duration_seconds: 600 },
  '1080p30': { width: 1920, height: 1080, fps: 30, duration_seconds: 600 },
  '720p25': { width: 1280, height: 720, fps: 25, duration_seconds: 3600 },
  portrait: { width: 1080, height: 1920, fps: 30, duration_seconds: 60 },
} as const satisfies Record<string, Source>;
export type SourcePreset = keyof typeof sourcePresets;

/** The texts of the fields of a source. */
export type SourceForm = Record<keyof Source, string>;

export const formOfSource = ({ width, height, fps, duration_seconds }: Source): SourceForm => ({
  width: String(width),
  height: String(height),
  fps: String(fps),
  duration_seconds: String(duration_seconds),
});

/** Undefined while a field is not a number. The service checks the limits. */
export function sourceOfForm(form: SourceForm): Source | undefined {
  const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));
  const source = {
    width: numberOf(form.width),
    height: numberOf(form.height),
    fps: numberOf(form.fps),
    duration_seconds: numberOf(form.duration_seconds),
  };
  return Object.values(source).every(Number.isFinite) ? source : undefined;
}

type VideoListItem = components['schemas']['VideoListItem'];

const usualFps = 30;

/** The source of a video. Undefined without a picture, or before the video was probed. */
export function sourceOfVideo({ duration, streams }: Pick<VideoListItem, 'duration' | 'streams'>): Source | undefined {
  const original = streams.find(({ type }) => type === 'original');
  if (!duration || !original?.width || !original.height) return undefined;
  return {
    width: original.width,
    height: original.height,
    fps: fpsOf(original.meta) ?? usualFps,
    duration_seconds: duration,
  };
}

/** The frame rate in the document of ffprobe, such as "30000/1001". */
function fpsOf(meta: unknown): number | undefined {
  const { streams } = (meta ?? {}) as { streams?: unknown };
  const rates = (Array.isArray(streams) ? streams : []).map(({ avg_frame_rate: rate }: { avg_frame_rate?: unknown }) =>
    String(rate).split('/').map(Number),
  );
  const [[frames = 0, seconds = 1] = []] = rates.filter(([frames = 0, seconds = 1]) => frames > 0 && seconds > 0);
  return frames > 0 ? Math.round((frames / seconds) * 1000) / 1000 : undefined;
}
