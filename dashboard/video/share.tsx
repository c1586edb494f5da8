import { useId, useState } from 'preact/hooks';
import { useResource } from '../api/use-resource.ts';
import { ApiCall } from '../components/api-call.tsx';
import { Card } from '../components/card.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SelectField } from '../components/field.tsx';
import { Loading } from '../components/loading.tsx';
import { formatDateTime, formatSpan } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { defaultLinkSeconds, downloadUrl, loadSources } from './load-sources.ts';
import { linksOf, plays, sourceChanges, type Video } from './video-properties.ts';

type ShareProps = { video: Video };

/** Of the outputs that play, the poster and the storyboard. */
const countOf = (outputs: Video['outputs']): number => outputs.filter(plays).length + 2;

const lifetimesSeconds = [3_600, 21_600, 86_400, 604_800] as const;

/** Links to the outputs and pictures with a lifetime that the user chooses. Those of a public video do not expire. */
export function Share({ video: { ulid, playback, outputs, thumbnail_path } }: ShareProps) {
  const [seconds, setSeconds] = useState(defaultLinkSeconds);
  const messages = text.value.video;
  const { data, error, reload } = useResource(() => loadSources(ulid, seconds), {
    key: `${ulid} ${sourceChanges(outputs)} ${thumbnail_path} ${seconds} ${playback}`,
  });
  const expiresAt = data?.sources[0]?.expires_at;
  return (
    <Card title={messages.share}>
      {playback === 'public' ? (
        <p class="hint">{messages.publicLinks}</p>
      ) : (
        <SelectField
          label={messages.lifetime}
          hint={expiresAt ? messages.expires(formatDateTime(expiresAt)) : undefined}
          value={String(seconds)}
          onValue={(value) => setSeconds(Number(value))}
          options={lifetimesSeconds.map((value) => ({ value: String(value), label: formatSpan(value) }))}
        />
      )}
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined ? (
        // As high as the links will be, so that what is below does not move.
        <div class="links-loading" style={{ '--links': countOf(outputs) }}>
          <Loading />
        </div>
      ) : (
        <ul class="links">
          {(data === undefined ? [] : linksOf(data)).map(({ kind, name, url, isFile }) => (
            <Link
              key={url}
              label={[messages.linkKinds[kind], name].filter(Boolean).join(': ')}
              url={url}
              isFile={isFile}
            />
          ))}
        </ul>
      )}
      <ApiCall method="GET" path="/api/videos/{ulid}/sources" params={{ ulid }} query={{ expires_in: seconds }} />
    </Card>
  );
}

type LinkProps = { label: string; url: string; isFile: boolean };

function Link({ label, url, isFile }: LinkProps) {
  const messages = text.value.video;
  const id = useId();
  return (
    <li>
      <label for={id}>{label}</label>
      <div class="link">
        <input id={id} readOnly value={url} onFocus={(event) => event.currentTarget.select()} />
        <CopyButton value={url} name={messages.copyLink(label)} />
        {isFile && (
          <a class="button" href={downloadUrl(url)} download aria-label={`${messages.download}: ${label}`}>
            {messages.download}
          </a>
        )}
      </div>
    </li>
  );
}
