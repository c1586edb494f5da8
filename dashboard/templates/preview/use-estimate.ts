import { useEffect, useRef, useState } from 'preact/hooks';
import type { components } from '../../../client/api-types.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import type { Query } from '../query/query.ts';
import type { Source } from './preview-source.ts';

export type Estimate = components['schemas']['Estimate'];

export type Preview = {
  /** of the last query that was valid */
  estimate: Estimate | undefined;
  /** Why there is none for the present query, such as a 422 with its faults. */
  error: unknown;
  isLoading: boolean;
};

const typingMilliseconds = 500;

/** What a query makes of a source, loaded when the user pauses typing. */
export function useEstimate(query: Query | undefined, source: Source | undefined): Preview {
  const wanted = query === undefined || source === undefined ? undefined : JSON.stringify({ query, source });
  const [key, setKey] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setKey(wanted), typingMilliseconds);
    return () => clearTimeout(timer);
  }, [wanted]);

  const { data, error, isLoading } = useResource(
    async (signal) =>
      key === undefined ? { response: new Response() } : api.POST('/api/estimates', { body: JSON.parse(key), signal }),
    { key: key ?? 'none' },
  );
  const last = useRef<Estimate>();
  last.current = data?.data ?? last.current;
  return { estimate: last.current, error: key === wanted ? error : undefined, isLoading: isLoading || key !== wanted };
}
