import './caption-editor.css';
import { useLocation } from 'preact-iso';
import { ApiError } from '../../../client/api-error.ts';
import { captionKinds } from '../../../shared/captions/cue.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { NotFound } from '../../layout/not-found.tsx';
import { text } from '../../messages/messages.ts';
import { isPending } from '../captions/caption-form.ts';
import { CaptionEditor } from './caption-editor.tsx';
import { loadCaptions, type Track } from './stored-captions.ts';

type CaptionEditorPageProps = { params: { ulid: string; language: string } };

/** The editor of one text track; `kind` of the query chooses among those of a language. */
export function CaptionEditorPage({ params: { ulid, language } }: CaptionEditorPageProps) {
  const { query } = useLocation();
  const kind = captionKinds.find((one) => one === query.kind) ?? 'captions';
  const track: Track = { ulid, language, kind };
  const messages = text.value.captions.editor;
  const key = `${ulid} ${language} ${kind}`;
  const video = useResource((signal) => api.GET('/api/videos/{ulid}', { params: { path: { ulid } }, signal }), { key });
  const stored = useResource((signal) => loadCaptions(track, signal), { key });
  const error = video.error ?? stored.error;
  if (stored.data === null || (error instanceof ApiError && error.status === 404)) return <NotFound />;
  if (
    video.data === undefined ||
    stored.data === undefined ||
    stored.data.file === null ||
    isPending(stored.data.caption)
  ) {
    const isMissing = error === undefined && video.data !== undefined && stored.data !== undefined;
    return (
      <>
        <PageTitle title={messages.title}>
          <a class="button" href={`/videos/${ulid}`}>
            {messages.toVideo}
          </a>
        </PageTitle>
        <ErrorNotice error={error} onRetry={video.error === undefined ? stored.reload : video.reload} />
        {isMissing && <p>{isPending(stored.data!.caption) ? messages.pending : messages.noFile}</p>}
        {!isMissing && error === undefined && <Loading />}
      </>
    );
  }
  const { caption, file } = stored.data;
  return <CaptionEditor key={key} track={track} video={video.data.data} caption={caption} file={file} />;
}
