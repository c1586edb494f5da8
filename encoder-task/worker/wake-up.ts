import type { EventEmitter } from 'node:events';

/**
 * Sent by the parent process of a local worker over its IPC channel when a job may be available. Fargate and nodes have
 * no such channel.
 */
const wakeMessage = 'wake';

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
