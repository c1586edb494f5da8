import type { components } from '../../client/api-types.ts';

export type Sources = components['schemas']['Sources'];
export type Source = components['schemas']['Source'];

/** A source that a viewer can choose. */
export type PlaybackOption = { source: Source; label: string };

const formatLabels: Record<Source['format'], string> = { hls: 'HLS', dash: 'DASH', mp4: 'MP4' };
const preference = Object.keys(formatLabels);

/** The sources in order of preference: adaptive ones first. Labels of sources of one format have their names. */
export function playbackOptions(sources: readonly Source[]): PlaybackOption[] {
  return sources
    .toSorted((a, b) => rank(a) - rank(b))
    .map((source) => {
      const isOnly = sources.filter(({ format }) => format === source.format).length === 1;
      const label = formatLabels[source.format];
      return { source, label: isOnly ? label : `${label} (${source.name})` };
    });
}

/** A file with audio only is the last choice among MP4 files. */
const rank = ({ format, media_type }: Source): number =>
  preference.indexOf(format) + (media_type.startsWith('audio/') ? 0.5 : 0);
