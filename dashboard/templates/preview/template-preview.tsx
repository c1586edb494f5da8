import { fieldErrors } from '../../api/error-text.ts';
import { ApiCall } from '../../components/api-call.tsx';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { TableBox } from '../../components/table-box.tsx';
import { formatBitrate, formatBytes, formatCost, formatCpuRange, formatNumber } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import type { Query } from '../query/query.ts';
import { previewNotes } from './preview-notes.ts';
import type { Source } from './preview-source.ts';
import { SourceChoice } from './source-choice.tsx';
import type { Estimate, Preview } from './use-estimate.ts';

type TemplatePreviewProps = {
  query: Query | undefined;
  source: Source | undefined;
  preview: Preview;
  onSource(source: Source | undefined): void;
};

/** What the template makes of a source, how large that is, and what it costs. */
export function TemplatePreview({ query, source, preview, onSource }: TemplatePreviewProps) {
  const { templates: messages } = text.value;
  const { estimate, error, isLoading } = preview;
  const errors = fieldErrors(error);
  const hasErrors = Object.keys(errors).length > 0;
  return (
    <Card title={messages.preview}>
      <SourceChoice errors={errors} onSource={onSource} />
      <ErrorNotice error={hasErrors ? undefined : error} />
      {(query === undefined || hasErrors) && <p class="notice">{messages.previewNeedsFix}</p>}
      {estimate === undefined && error === undefined && query !== undefined && <Loading />}
      {estimate !== undefined && (
        <div class="stack preview" aria-busy={isLoading} data-outdated={isLoading || error !== undefined}>
          <Totals estimate={estimate} />
          <RenditionTable estimate={estimate} />
          <p class="hint">
            {[messages.previewHint, ...previewNotes(query ?? {}).map((note) => messages.previewNotes[note])].join(' ')}
          </p>
        </div>
      )}
      <ApiCall method="POST" path="/api/estimates" body={{ query: query ?? {}, source: source ?? {} }} />
    </Card>
  );
}

function Totals({ estimate: { bytes, cpu_seconds, cost } }: { estimate: Estimate }) {
  const { templates: messages } = text.value;
  return (
    <dl class="preview-totals">
      <div>
        <dt>{messages.totalSize}</dt>
        <dd>{formatBytes(bytes)}</dd>
      </div>
      <div>
        <dt>{messages.totalCpu}</dt>
        <dd>{formatCpuRange(cpu_seconds)}</dd>
      </div>
      <div>
        <dt>{messages.totalCost}</dt>
        <dd>{formatCost(cost)}</dd>
      </div>
    </dl>
  );
}

function RenditionTable({ estimate: { renditions } }: { estimate: Estimate }) {
  const { templates: messages } = text.value;
  const codecName = (codec: string): string => messages.codecs[codec as keyof typeof messages.codecs] ?? codec;
  return (
    <TableBox label={messages.previewTable}>
      <thead>
        <tr>
          <th scope="col">{messages.rendition}</th>
          <th scope="col" class="numeric">
            {messages.picture}
          </th>
          <th scope="col" class="numeric">
            {messages.renditionFields.bitrate}
          </th>
          <th scope="col" class="numeric">
            {messages.size}
          </th>
        </tr>
      </thead>
      <tbody>
        {renditions.map(({ name, codec, width, height, fps, bitrate, bytes }) => (
          <tr key={name}>
            <th scope="row">
              {name} <span class="hint">{codecName(codec)}</span>
            </th>
            <td class="numeric">
              {width === null || height === null
                ? text.value.common.noValue
                : messages.pictureOf(width, height, fps === null ? undefined : formatNumber(fps))}
            </td>
            <td class="numeric">{formatBitrate(bitrate)}</td>
            <td class="numeric">{formatBytes(bytes)}</td>
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}
