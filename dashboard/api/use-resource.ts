import { useEffect, useRef, useState } from 'preact/hooks';

type Result<Body> = { data?: Body | undefined; response: Response };

export type Resource<Body> = {
  data: Body | undefined;
  /** Why the last load failed. `data` may be older data then. */
  error: unknown;
  isLoading: boolean;
  /** Loads again at once, for example after a change. */
  reload(): void;
};

export type ResourceOptions<Body> = {
  /** What is loaded, such as the URL. The data of another key is dropped. */
  key: string;
  /** Seconds until the next load, from the data; undefined ends the polling. */
  pollSeconds?: (data: Body) => number | undefined;
};

type State<Body> = { key: string; data?: Body | undefined; etag?: string | null; error?: unknown; isLoading: boolean };

const retrySeconds = 5;

/**
 * Loads a resource, and polls it while the page is visible. Data with the ETag of the data before renders nothing.
 * @param load a call of the API client, such as `(signal) => api.GET('/api/me', { signal })`
 */
export function useResource<Body>(
  load: (signal: AbortSignal) => Promise<Result<Body>>,
  { key, pollSeconds }: ResourceOptions<Body>,
): Resource<Body> {
  const [state, setState] = useState<State<Body>>({ key, isLoading: true });
  const [loadCount, setLoadCount] = useState(0);
  const latest = useRef({ load, pollSeconds });
  latest.current = { load, pollSeconds };

  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isWaitingForVisibility = false;

    const scheduleIn = (seconds: number | undefined): void => {
      if (seconds !== undefined && !abort.signal.aborted) timer = setTimeout(run, seconds * 1000);
    };
    const run = async (): Promise<void> => {
      isWaitingForVisibility = document.hidden;
      if (isWaitingForVisibility) return;
      setState((state) => (state.key === key ? state : { key, isLoading: true }));
      try {
        const { data, response } = await latest.current.load(abort.signal);
        if (abort.signal.aborted) return;
        const etag = response.headers.get('etag');
        setState((state) => {
          const isUnchanged = etag !== null && etag === state.etag && state.key === key && state.error === undefined;
          return isUnchanged && !state.isLoading ? state : { key, data, etag, isLoading: false };
        });
        scheduleIn(data === undefined ? undefined : latest.current.pollSeconds?.(data));
      } catch (error) {
        if (abort.signal.aborted) return;
        setState((state) => ({ ...state, key, error, isLoading: false }));
        if (latest.current.pollSeconds !== undefined) scheduleIn(retrySeconds);
      }
    };
    const onVisible = (): void => {
      if (!document.hidden && isWaitingForVisibility) void run();
    };
    document.addEventListener('visibilitychange', onVisible);
    void run();
    return () => {
      abort.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [key, loadCount]);

  const { data, error, isLoading } = state.key === key ? state : { data: undefined, error: undefined, isLoading: true };
  return { data, error, isLoading, reload: () => setLoadCount((count) => count + 1) };
}
