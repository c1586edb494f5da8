import { useEffect, useRef, useState } from 'preact/hooks';

export type Action<Arguments extends unknown[]> = {
  /** Does nothing while the action runs. Resolves to whether it succeeded. */
  run(...input: Arguments): Promise<boolean>;
  isRunning: boolean;
  /** Why the last run failed. */
  error: unknown;
  clearError(): void;
};

/** An action of the user that changes something: it runs once at a time, and its error is kept for display. */
export function useAction<Arguments extends unknown[]>(
  act: (...input: Arguments) => Promise<unknown>,
): Action<Arguments> {
  const [state, setState] = useState<{ isRunning: boolean; error?: unknown }>({ isRunning: false });
  const isRunning = useRef(false);
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);

  const finish = (error?: unknown): void => {
    isRunning.current = false;
    if (isMounted.current) setState({ isRunning: false, error });
  };
  const run = async (...input: Arguments): Promise<boolean> => {
    if (isRunning.current) return false;
    isRunning.current = true;
    setState({ isRunning: true });
    try {
      await act(...input);
      finish();
      return true;
    } catch (error) {
      finish(error);
      return false;
    }
  };
  return { run, ...state, error: state.error, clearError: () => setState(({ isRunning }) => ({ isRunning })) };
}
