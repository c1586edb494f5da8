import './videos.css';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { app } from '../api/app.ts';
import { api } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { announce } from '../components/announcer.tsx';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Checkbox } from '../components/field.tsx';
import { PageTitle } from '../components/page-title.tsx';
import { text } from '../messages/messages.ts';
import { BulkActions } from './bulk-actions.tsx';
import { ListPage, type LoadedPage } from './list-page.tsx';
import { addressOf, filtersOf, isFiltered, type PageStart, type VideoFilters } from './list-query.ts';
import { VideoFilterBar } from './video-filters.tsx';
import type { VideoListItem } from './video-row.tsx';

export function VideosPage() {
  const { query, route } = useLocation();
  const filters = filtersOf(query, app());
  const messages = text.value.videos;
  const { data } = useResource((signal) => api.GET('/api/templates', { signal }), { key: 'templates' });
  const templates = data?.data ?? [];
  // The address may have a change that is not rendered yet, and a search is set after a pause.
  const change = (changes: Partial<VideoFilters>): void =>
    route(
      addressOf({ ...filtersOf(Object.fromEntries(new URLSearchParams(location.search)), app()), ...changes }),
      true,
    );
  return (
    <>
      <PageTitle title={messages.title}>
        <a class="button button-primary" href="/upload">
          {text.value.navigation.upload}
        </a>
      </PageTitle>
      <VideoFilterBar filters={filters} templates={templates} onChange={change} />
      {/* Other filters are another list. */}
      <VideoList
        key={addressOf(filters)}
        filters={filters}
        templateNames={new Map(templates.map(({ id, name }) => [id, name]))}
      />
    </>
  );
}

type VideoListProps = { filters: VideoFilters; templateNames: ReadonlyMap<number, string> };

function VideoList({ filters, templateNames }: VideoListProps) {
  const [starts, setStarts] = useState<readonly PageStart[]>([undefined]);
  const [pages, setPages] = useState<readonly LoadedPage[]>([]);
  const [selected, setSelected] = useState<ReadonlyMap<string, VideoListItem>>(new Map());
  const [changes, setChanges] = useState(0);
  const messages = text.value.videos;

  const onSelect = useCallback(
    (video: VideoListItem, isSelected: boolean) =>
      setSelected((before) => {
        const after = new Map(before);
        if (isSelected) after.set(video.ulid, video);
        else after.delete(video.ulid);
        return after;
      }),
    [],
  );
  const videos = pages.flatMap((page) => page.videos);
  const last = pages[starts.length - 1];
  const [first] = pages;
  const showMore = (): void => setStarts([...starts, last?.next]);

  // A page of a filtered list may have no matches although there are more.
  useEffect(() => {
    if (last?.videos.length === 0 && last.next !== undefined) showMore();
  }, [last]);
  useEffect(() => {
    if (first !== undefined) announce(messages.shown(videos.length));
  }, [first === undefined, starts.length]);

  const onBulkDone = (failed: ReadonlyMap<string, VideoListItem>): void => {
    setSelected(failed);
    setChanges((count) => count + 1);
  };
  const isEmpty = first !== undefined && videos.length === 0 && last?.next === undefined;
  return (
    <>
      {isEmpty && <NoVideos isFiltered={isFiltered(filters)} />}
      {first !== undefined && !isEmpty && (
        <div class="list-head">
          <Checkbox
            label={messages.selectAll}
            isChecked={videos.length > 0 && selected.size === videos.length}
            onChecked={(isChecked) => setSelected(new Map(isChecked ? videos.map((video) => [video.ulid, video]) : []))}
          />
          <p class="hint">{messages.shownOf(videos.length, first.total)}</p>
        </div>
      )}
      <BulkActions selected={selected} onDone={onBulkDone} onClear={() => setSelected(new Map())} />
      {starts.map((start, index) => (
        <ListPage
          key={JSON.stringify(start ?? 'first')}
          {...{ filters, start, selected, templateNames, onSelect }}
          version={`${changes} ${pages[index - 1]?.videos.at(-1)?.ulid ?? ''}`}
          onDeleted={() => setChanges((count) => count + 1)}
          onLoaded={(page) => setPages((pages) => Object.assign([...pages], { [index]: page }))}
        />
      ))}
      {last?.next !== undefined && <Button onClick={showMore}>{text.value.common.more}</Button>}
    </>
  );
}

type NoVideosProps = { isFiltered: boolean };

function NoVideos({ isFiltered }: NoVideosProps) {
  const messages = text.value.videos;
  if (isFiltered) return <EmptyState title={messages.noMatches}>{messages.noMatchesHint}</EmptyState>;
  return (
    <EmptyState title={messages.empty}>
      <p>{messages.emptyHint}</p>
      <a class="button button-primary" href="/upload">
        {messages.uploadFirst}
      </a>
    </EmptyState>
  );
}
