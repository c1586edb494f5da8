import { text } from '../../messages/messages.ts';
import type { Query } from '../query/query.ts';
import { summaryOf } from '../query/template-summary.ts';

/** The main properties of a template on one line. */
export function SummaryList({ query }: { query: Query }) {
  const { templates: messages } = text.value;
  const { videoCodecs, maxHeight, isLadder, renditionCount, audioCodecs, formats } = summaryOf(query);
  const codecName = (codec: string): string => messages.codecs[codec as keyof typeof messages.codecs] ?? codec;
  const labels = [
    ...formats.map((format) => format.toUpperCase()),
    ...videoCodecs.map(codecName),
    ...(maxHeight === undefined ? [] : [messages.upTo(maxHeight)]),
    ...(isLadder ? [messages.automatic] : renditionCount > 0 ? [messages.renditionCount(renditionCount)] : []),
    ...audioCodecs.map(codecName),
  ];
  return (
    <ul class="summary-line">
      {labels.map((label) => (
        <li key={label}>{label}</li>
      ))}
    </ul>
  );
}
