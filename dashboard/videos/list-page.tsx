import { useEffect } from 'preact/hooks';
import { api } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Loading } from '../components/loading.tsx';
import { type PageStart, pageQuery, pollSeconds, repeated, startOfNext, type VideoFilters } from './list-query.ts';
import { type VideoListItem, VideoRow } from './video-row.tsx';

export type LoadedPage = { videos: readonly VideoListItem[]; next: PageStart; total: number | undefined };

type ListPageProps = {
  filters: VideoFilters;
  start: PageStart;
  /**
   * Changes when videos were deleted or are processed again, and when the page before has changed, by which the rows of
   * this one may have moved.
   */
  version: string;
  selected: ReadonlyMap<string, VideoListItem>;
  /** By id. */
  templateNames: ReadonlyMap<number, string>;
  onSelect(video: VideoListItem, isSelected: boolean): void;
  onLoaded(page: LoadedPage): void;
  onDeleted(): void;
};

/** A page of the list, which keeps itself up to date. */
export function ListPage(props: ListPageProps) {
  const { filters, start, version, selected, templateNames, onSelect, onLoaded, onDeleted } = props;
  const query = pageQuery(filters, start);
  const { data, error, reload } = useResource((signal) => api.GET('/api/videos', { params: { query }, signal }), {
    key: JSON.stringify(query),
    pollSeconds: ({ data }) => pollSeconds(data, start === undefined),
  });
  useEffect(() => {
    if (data !== undefined) reload();
  }, [version]);
  useEffect(() => {
    if (data === undefined) return;
    const total = 'total' in data.meta ? data.meta.total : undefined;
    onLoaded({ videos: data.data, next: startOfNext(data.meta), total });
  }, [data]);
  const namesakes = repeated((data?.data ?? []).map(({ name }) => name));
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined && <Loading />}
      {data && data.data.length > 0 && (
        <ul class="video-list">
          {data.data.map((video) => (
            <VideoRow
              key={video.ulid}
              video={video}
              templateName={templateNames.get(video.template_id)}
              hasNamesake={namesakes.has(video.name)}
              isSelected={selected.has(video.ulid)}
              onSelect={onSelect}
              onDeleted={onDeleted}
            />
          ))}
        </ul>
      )}
    </>
  );
}
