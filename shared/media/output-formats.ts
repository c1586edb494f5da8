import type { Container } from './codecs.ts';

/**
 * The table of output formats. A new format needs a row here, what writes it in `functions/packaging`, and the parts of
 * a player that read it; codecs name the containers that carry them in `codecs.ts`.
 */
type OutputFormatProperties = {
  label: string;
  /** that a template may choose, the default one first */
  containers: readonly [Container, ...Container[]];
  /** of the file that a player opens */
  extension: string;
  /**
   * A manifest lists segments of all renditions, and captions. Otherwise the output is one file with at most one stream
   * of each kind.
   */
  isSegmented: boolean;
};

export const outputFormatProperties = {
  hls: { label: 'HLS', containers: ['fmp4', 'ts'], extension: 'm3u8', isSegmented: true },
  dash: { label: 'MPEG-DASH', containers: ['fmp4'], extension: 'mpd', isSegmented: true },
  mp4: { label: 'Progressive MP4', containers: ['mp4'], extension: 'mp4', isSegmented: false },
} as const satisfies Record<string, OutputFormatProperties>;

export type OutputFormat = keyof typeof outputFormatProperties;
export const outputFormats = ['hls', 'dash', 'mp4'] as const satisfies readonly OutputFormat[];

/** Of values that a template or a record names; a value that is no format is not segmented. */
export const isSegmented = (format: unknown): boolean =>
  outputFormats.some((known) => known === format && outputFormatProperties[known].isSegmented);

export const defaultContainer = (format: OutputFormat): Container => outputFormatProperties[format].containers[0];
