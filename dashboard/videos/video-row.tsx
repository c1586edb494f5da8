import { useState } from 'preact/hooks';
import { bodyOf } from '../../client/api.ts';
import type { components } from '../../client/api-types.ts';
import { reasonOf } from '../../client/failure-reasons.ts';
import { failureText } from '../../client/texts/describe-codes.ts';
import { ActionMenu } from '../components/action-menu.tsx';
import { announce } from '../components/announcer.tsx';
import { Button } from '../components/button.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { TimeAgo } from '../components/time-ago.tsx';
import { formatBytes, formatDuration } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { loadSources } from '../video/load-sources.ts';
import { TagList } from '../video/tag-list.tsx';
import { DeleteVideo } from '../video/video-dialogs.tsx';
import { plays } from '../video/video-properties.ts';
import { VisibilityBadge } from '../video/visibility.tsx';

export type VideoListItem = components['schemas']['VideoListItem'];

type VideoRowProps = {
  video: VideoListItem;
  /** Of its template; undefined while it is not known. */
  templateName: string | undefined;
  /** Another video of the list has the same name. */
  hasNamesake: boolean;
  isSelected: boolean;
  onSelect(video: VideoListItem, isSelected: boolean): void;
  onDeleted(): void;
};

export function VideoRow({ video, templateName, hasNamesake, isSelected, onSelect, onDeleted }: VideoRowProps) {
  const { ulid, name, status, playback, duration, created_at, poster_url, preview_url, streams, tags } = video;
  const hover = useHover();
  const messages = text.value.videos;
  const original = streams.find(({ type }) => type === 'original');
  const properties = [
    original?.width && original.height && `${original.width} × ${original.height}`,
    original?.size && formatBytes(original.size),
    templateName,
    hasNamesake && ulid,
  ].filter(Boolean);
  return (
    <li class="video-row" data-selected={isSelected}>
      <label class="video-select">
        <input
          type="checkbox"
          checked={isSelected}
          onChange={(event) => onSelect(video, event.currentTarget.checked)}
        />
        <span class="visually-hidden">{messages.select(name)}</span>
      </label>
      <a class="video-link" href={`/videos/${ulid}`} {...hover.events}>
        <span class="video-poster" data-status={status}>
          {poster_url !== null && <img src={poster_url} alt="" loading="lazy" decoding="async" />}
          {hover.isOver && preview_url !== null && <Preview url={preview_url} />}
          {duration !== null && <span class="video-length">{formatDuration(duration)}</span>}
        </span>
        <span class="video-name">{name}</span>
      </a>
      <p class="video-properties hint">
        {status === 'failed' && (
          <span class="video-failure">
            {failureText(text.value.codes, reasonOf({ streams, outputs: [] }))}
            {properties.length > 0 && ' · '}
          </span>
        )}
        {properties.join(' · ')} {tags.length > 0 && <TagList tags={tags} />}
      </p>
      <span class="row">
        <StatusBadge status={status} />
        {playback === 'public' && <VisibilityBadge playback={playback} />}
      </span>
      <TimeAgo class="video-date" time={created_at} />
      <VideoMenu
        video={video}
        onDeleted={() => {
          onSelect(video, false);
          onDeleted();
        }}
      />
    </li>
  );
}

/** Whether the pointer or the focus is on an element. Never for people who want less motion. */
function useHover() {
  const [isOver, setIsOver] = useState(false);
  const enter = () => setIsOver(!matchMedia('(prefers-reduced-motion: reduce)').matches);
  const leave = () => setIsOver(false);
  return { isOver, events: { onPointerEnter: enter, onPointerLeave: leave, onFocus: enter, onBlur: leave } };
}

/** Lies on the poster, which stays visible until the first picture is there. */
const Preview = ({ url }: { url: string }) =>
  new URL(url).pathname.endsWith('.mp4') ? (
    <video class="video-preview" src={url} autoPlay loop muted playsInline />
  ) : (
    <img class="video-preview" src={url} alt="" decoding="async" />
  );

function VideoMenu({ video, onDeleted }: Pick<VideoRowProps, 'video' | 'onDeleted'>) {
  const [isDeleting, setIsDeleting] = useState(false);
  const { videos: messages, common } = text.value;
  return (
    <>
      <ActionMenu label={messages.actionsFor(video.name)}>
        {plays(video) && (
          <Button variant="quiet" onClick={() => copyLink(video.ulid)}>
            {messages.copyLink}
          </Button>
        )}
        <Button variant="quiet" onClick={() => setIsDeleting(true)}>
          {common.delete}
        </Button>
      </ActionMenu>
      {isDeleting && <DeleteVideo video={video} onDeleted={onDeleted} onClose={() => setIsDeleting(false)} />}
    </>
  );
}

/** Copies the link of the first output, which is adaptive where the template has such an output. */
async function copyLink(ulid: string): Promise<void> {
  const { common } = text.value;
  const link = bodyOf(loadSources(ulid)).then(({ sources: [source] }) => source?.url ?? '');
  try {
    // The browser allows it only at once after the click: it gets the promise.
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': link })]);
    announce(common.copied);
  } catch {
    announce(common.copyFailed);
  }
}
