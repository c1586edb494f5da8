import type { components } from '../../../client/api-types.ts';
import { Card } from '../../components/card.tsx';
import { TableBox } from '../../components/table-box.tsx';
import { formatBitrate, formatNumber, formatPercent } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';

type Playback = components['schemas']['VideoAnalytics']['data']['playback'];
type Distribution = components['schemas']['Distribution'];

const formatSeconds = (milliseconds: number): string =>
  formatNumber(milliseconds / 1000, {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'short',
    maximumFractionDigits: 2,
  });
const formatShare = (share: number): string =>
  formatNumber(share, { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 });

/** Errors have no median that says anything: most playbacks have none. */
const measures = [
  ['startup_ms', formatSeconds],
  ['rebuffering_share', formatShare],
  ['bitrate_kbps', (kbps: number) => formatBitrate(kbps * 1000)],
] as const;

/** What players have reported of playback. */
export function PlaybackQuality({ playback }: { playback: Playback }) {
  const { views: messages, common, usage } = text.value;
  const isKnown = Object.values(playback).some(({ count }) => count > 0);
  const { errors } = playback;
  const withErrors = errors.buckets.reduce((sum, { from, count }) => sum + (from >= 1 ? count : 0), 0);
  return (
    <Card title={messages.quality}>
      {isKnown ? (
        <div class="stack playback-quality">
          <TableBox label={usage.tableOf(messages.quality)}>
            <thead>
              <tr>
                <th scope="col">{messages.measure}</th>
                {[messages.median, messages.p95, messages.playbacks].map((title) => (
                  <th key={title} scope="col" class="numeric">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {measures.map(([name, format]) => {
                const { median, p95, count } = playback[name];
                return (
                  <tr key={name}>
                    <th scope="row">{messages.measures[name]}</th>
                    <td class="numeric">{median === null ? common.noValue : format(median)}</td>
                    <td class="numeric">{p95 === null ? common.noValue : format(p95)}</td>
                    <td class="numeric">{formatNumber(count)}</td>
                  </tr>
                );
              })}
            </tbody>
          </TableBox>
          {errors.count > 0 && <p>{messages.errors(formatNumber(withErrors), formatNumber(errors.count))}</p>}
          <details class="day-table">
            <summary>{messages.distributions}</summary>
            <div class="stack">
              {[...measures, ['errors', formatNumber] as const].map(([name, format]) => (
                <Buckets
                  key={name}
                  title={messages.measures[name]}
                  distribution={playback[name]}
                  format={(value) => format(value)}
                />
              ))}
            </div>
          </details>
        </div>
      ) : (
        <p class="hint">{messages.qualityEmpty}</p>
      )}
    </Card>
  );
}

type BucketsProps = { title: string; distribution: Distribution; format(value: number): string };

function Buckets({ title, distribution: { buckets, count: all }, format }: BucketsProps) {
  const { views: messages, usage } = text.value;
  return (
    <TableBox label={usage.tableOf(title)}>
      <thead>
        <tr>
          <th scope="col">{title}</th>
          <th scope="col" class="numeric">
            {messages.playbacks}
          </th>
          <th scope="col" class="numeric">
            {messages.share}
          </th>
        </tr>
      </thead>
      <tbody>
        {buckets.map(({ from, to, count }) => (
          <tr key={from}>
            <th scope="row">
              {to === null ? messages.andMore(format(from)) : messages.range(format(from), format(to))}
            </th>
            <td class="numeric">{formatNumber(count)}</td>
            <td class="numeric">{all === 0 ? text.value.common.noValue : formatPercent(count / all)}</td>
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}
