import type { EventEmitter } from 'node:events';

/** What a parent sends over the channel that it started this process with, when a job may be there. On Fargate and nodes there is no such channel. */
const wakeMessage = 'wake';

export type WakeUp = {
  /** Aborts when something has come since `reset`, so that one which comes during a call is not lost. */
  readonly signal: AbortSignal;
  reset(): void;
};

/** @param channel the process; others cannot send to it but who started it */
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
