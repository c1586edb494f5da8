import type { ComponentChildren } from 'preact';
import { EmptyState } from './empty-state.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { Loading } from './loading.tsx';

type LoadedListProps<Page> = {
  /** From `useResource`. */
  resource: { data: Page | undefined; error: unknown; reload(): void };
  /** What is shown instead of a list without items. */
  empty: { title: string; hint: string };
  /** By default, when there are no items. A page behind the last one has none either, but its list is not empty. */
  isEmpty?(page: Page): boolean;
  /** Called when there are items. */
  children(page: Page): ComponentChildren;
};

/** A list of the API: an error of the call, that it is being loaded, that it is empty, or its items. */
export function LoadedList<Page extends { data: readonly unknown[] }>({
  resource: { data, error, reload },
  empty,
  isEmpty = ({ data }) => data.length === 0,
  children,
}: LoadedListProps<Page>) {
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined && isEmpty(data) && (
        <EmptyState title={empty.title}>
          <p>{empty.hint}</p>
        </EmptyState>
      )}
      {data !== undefined && data.data.length > 0 && children(data)}
    </>
  );
}
