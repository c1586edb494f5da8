import type { EventEmitter } from 'node:events';

/**
 * Sent by the parent process of a worker over its IPC channel when a job may be available. Only local workers and the
 * helpers of early workers have such a channel.
 */
export const wakeMessage = 'wake';
/** Sent to a worker that shall take no more jobs. */
export const drainMessage = 'drain';

export type WakeUp = {
  /** Aborts when a message has arrived since `reset`, so that a message that arrives during a call is not lost. */
  readonly signal: AbortSignal;
  reset(): void;
};

/** @param channel the process object; only the parent process can send messages to it */
export function createWakeUp(channel: EventEmitter): WakeUp {
  let awake = new AbortController();
  channel.on('message', (message) => {
    if (message === wakeMessage) awake.abort();
  });
  return {
    get signal() {
      return awake.signal;
    },
    reset: () => {
      awake = new AbortController();
    },
  };
}

/** Aborts when the parent process wants the worker to take no more jobs. */
export function createDrain(channel: EventEmitter): AbortSignal {
  const drain = new AbortController();
  channel.on('message', (message) => {
    if (message === drainMessage) drain.abort();
  });
  return drain.signal;
}
