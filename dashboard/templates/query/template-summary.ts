import { entriesOf, ladderOf, type Query } from './query.ts';

export type TemplateSummary = {
  videoCodecs: string[];
  /** of the largest rendition; undefined without video or when it has the size of the source */
  maxHeight: number | undefined;
  isLadder: boolean;
  renditionCount: number;
  audioCodecs: string[];
  formats: string[];
};

/** What a list shows of a template. */
export function summaryOf(query: Query): TemplateSummary {
  const ladder = ladderOf(query);
  const video = ladder === undefined ? entriesOf(query, 'video') : [ladder];
  const heights = video.map(({ height, max_height = height }) => Number(max_height)).filter((height) => height > 0);
  return {
    videoCodecs: distinct(video.map(({ codec }) => codec)),
    maxHeight: heights.length === 0 ? undefined : Math.max(...heights),
    isLadder: ladder !== undefined,
    renditionCount: entriesOf(query, 'video').length,
    audioCodecs: distinct(entriesOf(query, 'audio').map(({ codec }) => codec)),
    formats: distinct(entriesOf(query, 'outputs').map(({ format }) => format)),
  };
}

const distinct = (values: readonly unknown[]): string[] => [...new Set(values.map(String))];
