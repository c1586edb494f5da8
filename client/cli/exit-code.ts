/** The exit codes of the command, which scripts rely on. */
export const exitCode = {
  ok: 0,
  /** an upload, an ingest or a video failed */
  failed: 1,
  /** wrong arguments or settings */
  usage: 2,
  /** the service does not answer, or refuses the token */
  unavailable: 3,
  /** Ctrl-C, as shells report it: 128 and the number of the signal */
  interrupted: 130,
  /** SIGTERM */
  terminated: 143,
} as const;

/** An end of the command with a message for its user. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

export const usageError = (message: string): CommandError => new CommandError(exitCode.usage, message);

/** The reason of the signal that a Ctrl-C or SIGTERM aborts. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super('interrupted');
    this.name = 'Interrupted';
    this.exitCode = signal === 'SIGINT' ? exitCode.interrupted : exitCode.terminated;
  }
}
