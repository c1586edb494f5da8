import { useId } from 'preact/hooks';
import { api } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { ApiCall } from '../components/api-call.tsx';
import { Card } from '../components/card.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Loading } from '../components/loading.tsx';
import { formatBytes, formatCpuTime, formatMonth, formatPercent } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { quotaShare } from './quota-share.ts';

const pollSeconds = 60;

/** The quota of the user and what is used of it in this month. */
export function MonthUse() {
  const messages = text.value.account;
  const { data, error, reload } = useResource((signal) => api.GET('/api/me', { signal }), {
    key: 'me',
    pollSeconds: () => pollSeconds,
  });
  return (
    <Card
      title={data === undefined ? messages.monthUse : messages.monthUseOf(formatMonth(data.usage.month))}
      actions={<a href="/usage">{messages.allUsage}</a>}
    >
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined && (
        <>
          <Amount
            label={messages.uploads}
            use={data.usage.upload_bytes}
            limit={data.quota?.upload_bytes_per_month}
            format={formatBytes}
          />
          <Amount
            label={messages.encoding}
            use={data.usage.encoding_cpu_seconds}
            limit={data.quota?.encoding_cpu_seconds_per_month}
            format={formatCpuTime}
          />
        </>
      )}
      <ApiCall method="GET" path="/api/me" />
    </Card>
  );
}

type AmountProps = {
  label: string;
  use: { used: number; reserved: number };
  limit: number | null | undefined;
  format(amount: number): string;
};

function Amount({ label, use, limit, format }: AmountProps) {
  const messages = text.value.account;
  const labelId = useId();
  const quota = quotaShare(use, limit);
  return (
    <div class="month-use">
      <div class="month-use-head">
        <span id={labelId}>{label}</span>
        <span>{typeof limit === 'number' ? messages.usedOf(format(use.used), format(limit)) : format(use.used)}</span>
      </div>
      {quota !== undefined && (
        <progress
          class="progress"
          data-state={quota.state}
          max={1}
          value={quota.share}
          aria-labelledby={labelId}
          aria-valuetext={formatPercent(quota.share)}
        />
      )}
      <p class="hint">
        {use.reserved > 0 && `${messages.reserved(format(use.reserved))} `}
        {quota === undefined ? messages.noLimit : messages.quotaStates[quota.state]}
      </p>
    </div>
  );
}
