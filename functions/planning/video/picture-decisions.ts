import { defaults } from '../../../shared/defaults.ts';
import type { Decision } from '../../../shared/protocol/decisions.ts';
import type { VideoTrack } from '../../../shared/protocol/probe-result.ts';
import type { TemplateQuery } from '../../templates/query-structure.ts';
import { colorDecisions } from './source-color.ts';

/** What is decided about the picture of a source by the service, besides what the probe decides. */
export const pictureDecisions = (track: VideoTrack, query: Pick<TemplateQuery, 'scaling'>): Decision[] => [
  ...transparencyDecisions(track, query.scaling?.background ?? defaults.background),
  ...colorDecisions(track),
];

const transparencyDecisions = ({ transparency }: VideoTrack, background: string): Decision[] =>
  transparency === 'declared'
    ? [
        {
          code: 'transparency_composited',
          message: `The video has an alpha channel: transparent parts are shown over the colour ${background}.`,
          facts: { background },
        },
      ]
    : [];
