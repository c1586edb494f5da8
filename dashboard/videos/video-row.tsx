import type { components } from '../../client/api-types.ts';
import { StatusBadge } from '../components/status-badge.tsx';
import { formatAgo, formatBytes, formatDateTime, formatDuration } from '../messages/format.ts';
import { text } from '../messages/messages.ts';

export type VideoListItem = components['schemas']['VideoListItem'];

type VideoRowProps = {
  video: VideoListItem;
  isSelected: boolean;
  onSelect(video: VideoListItem, isSelected: boolean): void;
};

export function VideoRow({ video, isSelected, onSelect }: VideoRowProps) {
  const { ulid, name, status, duration, created_at, poster_url, streams } = video;
  const messages = text.value.videos;
  const bytes = streams.find(({ type }) => type === 'original')?.size;
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
      <a class="video-link" href={`/videos/${ulid}`}>
        <span class="video-poster">
          {poster_url !== null && <img src={poster_url} alt="" loading="lazy" decoding="async" />}
          {duration !== null && <span class="video-length">{formatDuration(duration)}</span>}
        </span>
        <span class="video-name">{name}</span>
      </a>
      <StatusBadge status={status} />
      <span class="video-size">{bytes ? formatBytes(bytes) : ''}</span>
      <time class="video-date" dateTime={created_at} title={formatDateTime(created_at)}>
        {formatAgo(created_at)}
      </time>
    </li>
  );
}
