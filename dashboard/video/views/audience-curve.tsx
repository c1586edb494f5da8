import { Card } from '../../components/card.tsx';
import { TableBox } from '../../components/table-box.tsx';
import { formatDuration, formatNumber, formatPercent } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import { areaOf, tenthsOf } from './audience.ts';

type AudienceCurveProps = { reached: readonly number[]; durationSeconds: number };

/** How many playbacks have loaded each part of the video: a curve, and the same as a table of ten parts. */
export function AudienceCurve({ reached, durationSeconds }: AudienceCurveProps) {
  const { views: messages, usage } = text.value;
  const at = (share: number): string => formatNumber(reached[Math.round((reached.length - 1) * share)] ?? 0);
  return (
    <Card title={messages.audience}>
      <div class="day-figure">
        <p class="hint">{messages.audienceHint}</p>
        <div class="audience">
          <p class="audience-most">{messages.audienceMost(formatNumber(Math.max(0, ...reached)))}</p>
          <svg
            viewBox="0 0 100 100"
            preserveAspectRatio="none"
            role="img"
            aria-label={messages.audienceChart(at(0), at(0.5), at(1))}
          >
            <path d={areaOf(reached)} />
          </svg>
          <p class="audience-times" aria-hidden="true">
            {[0, 0.5, 1].map((share) => (
              <span key={share}>{formatDuration(durationSeconds * share)}</span>
            ))}
          </p>
        </div>
        <details class="day-table">
          <summary>{usage.asTable}</summary>
          <TableBox label={usage.tableOf(messages.audience)}>
            <thead>
              <tr>
                <th scope="col">{messages.position}</th>
                <th scope="col" class="numeric">
                  {messages.playbacks}
                </th>
                <th scope="col" class="numeric">
                  {messages.share}
                </th>
              </tr>
            </thead>
            <tbody>
              {tenthsOf(reached, durationSeconds).map(({ fromSeconds, toSeconds, playbacks, share }) => (
                <tr key={fromSeconds}>
                  <th scope="row">{messages.range(formatDuration(fromSeconds), formatDuration(toSeconds))}</th>
                  <td class="numeric">{formatNumber(playbacks)}</td>
                  <td class="numeric">{formatPercent(share)}</td>
                </tr>
              ))}
            </tbody>
          </TableBox>
        </details>
      </div>
    </Card>
  );
}
