import { useState } from 'preact/hooks';
import { isSegmented } from '../../shared/media/output-formats.ts';
import { useResource } from '../api/use-resource.ts';
import { ApiCall } from '../components/api-call.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SelectField } from '../components/field.tsx';
import { formatDateTime, formatSpan } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { defaultLinkSeconds, downloadUrl, loadSources } from './load-sources.ts';
import { sourceChanges, type Video } from './video-properties.ts';

type ShareProps = { video: Video };

const lifetimesSeconds = [3_600, 21_600, 86_400, 604_800] as const;

/** Links to the outputs with a lifetime that the user chooses. Those of a public video do not expire. */
export function Share({ video: { ulid, playback, outputs } }: ShareProps) {
  const [seconds, setSeconds] = useState(defaultLinkSeconds);
  const messages = text.value.video;
  const { data, error, reload } = useResource(() => loadSources(ulid, seconds), {
    key: `${ulid} ${sourceChanges(outputs)} ${seconds} ${playback}`,
  });
  return (
    <section class="card" aria-labelledby="share">
      <h2 id="share">{messages.share}</h2>
      {playback === 'public' ? (
        <p class="hint">{messages.publicLinks}</p>
      ) : (
        <SelectField
          label={messages.lifetime}
          value={String(seconds)}
          onValue={(value) => setSeconds(Number(value))}
          options={lifetimesSeconds.map((value) => ({ value: String(value), label: formatSpan(value) }))}
        />
      )}
      <ErrorNotice error={error} onRetry={reload} />
      <ul class="links">
        {data?.sources.map(({ name, format, url, expires_at }) => (
          <li key={name}>
            <span>
              <strong>{name}</strong> <span class="hint">{format.toUpperCase()}</span>
            </span>
            <CopyButton value={url} label={messages.copyLink(name)} />
            {!isSegmented(format) && (
              <a class="button" href={downloadUrl(url)} download>
                {messages.download}
              </a>
            )}
            {expires_at !== null && <span class="hint">{messages.expires(formatDateTime(expires_at))}</span>}
          </li>
        ))}
      </ul>
      <ApiCall method="GET" path="/api/videos/{ulid}/sources" params={{ ulid }} query={{ expires_in: seconds }} />
    </section>
  );
}
