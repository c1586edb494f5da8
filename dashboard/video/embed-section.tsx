import { useState } from 'preact/hooks';
import { bodyOf } from '../../client/api.ts';
import { api } from '../api/client.ts';
import { fieldErrors } from '../api/error-text.ts';
import { useAction } from '../api/use-action.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { CodeBox } from '../components/code-box.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { onSubmit } from '../components/submit.ts';
import { formatDateTime, formatSpan } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { domainsOf, embedCode } from './iframe-code.ts';
import type { Video } from './video-properties.ts';
import { VisibilityButton } from './visibility.tsx';

type EmbedSectionProps = { video: Video; onVisibility(): void };
type SignedEmbed = { url: string; expiresAt: string };

const lifetimesSeconds = [3_600, 86_400, 604_800] as const;
const defaultSeconds = 86_400;

const expiresAfter = (seconds: number): string => new Date(Date.now() + 1000 * seconds).toISOString();

/** The player page of the video for other sites. That of a public video needs no token. */
export function EmbedSection({ video: { ulid, name, playback, aspect_ratio }, onVisibility }: EmbedSectionProps) {
  const [seconds, setSeconds] = useState(defaultSeconds);
  const [domains, setDomains] = useState('');
  const [signed, setSigned] = useState<SignedEmbed>();
  const messages = text.value.video;
  const params = { path: { ulid } };
  const body = { expires_in: seconds, ...(domainsOf(domains).length > 0 && { allowed_domains: domainsOf(domains) }) };
  const create = useAction(async () => {
    const { url } = await bodyOf(api.POST('/api/videos/{ulid}/embed-tokens', { params, body }));
    setSigned({ url, expiresAt: expiresAfter(seconds) });
    announce(messages.embedCreated);
  });
  const errors = Object.entries(fieldErrors(create.error)).flatMap(([path, texts]) =>
    path.startsWith('allowed_domains') ? texts : [],
  );
  const url = playback === 'public' ? `${location.origin}/embed/${ulid}` : signed?.url;
  const code = url && embedCode({ url, title: name, aspectRatio: aspect_ratio });
  return (
    <Card title={messages.embed}>
      {playback === 'public' ? (
        <p class="hint">{messages.publicEmbed}</p>
      ) : (
        <div class="notice">
          <p>{messages.embedEnds(formatDateTime(expiresAfter(seconds)))}</p>
          <VisibilityButton playback={playback} onClick={onVisibility} />
        </div>
      )}
      {playback === 'signed' && (
        <form class="form" onSubmit={onSubmit(() => create.run())} noValidate>
          <SelectField
            label={messages.embedLifetime}
            value={String(seconds)}
            onValue={(value) => setSeconds(Number(value))}
            options={lifetimesSeconds.map((value) => ({ value: String(value), label: formatSpan(value) }))}
          />
          <TextField
            label={messages.domains}
            hint={messages.domainsHint}
            isOptional
            placeholder="example.com, *.example.org"
            value={domains}
            onValue={setDomains}
            errors={errors}
          />
          <ErrorNotice error={errors.length > 0 ? undefined : create.error} />
          <div>
            <Button type="submit" isBusy={create.isRunning}>
              {messages.createEmbed}
            </Button>
          </div>
        </form>
      )}
      {code !== undefined && (
        <>
          <CodeBox label={messages.embed} code={code} />
          <div class="row">
            <CopyButton value={code} label={messages.copyEmbed} />
            {playback === 'signed' && signed && (
              <span class="hint">{messages.expires(formatDateTime(signed.expiresAt))}</span>
            )}
          </div>
        </>
      )}
      <ApiCall method="POST" path="/api/videos/{ulid}/embed-tokens" params={params.path} body={body} />
    </Card>
  );
}
