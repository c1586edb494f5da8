import { type Account, openAccount } from '../../../test/journey/support/account.ts';
import { type Service, startService } from '../../../test/journey/support/service.ts';
import { patient } from './patiently.ts';
import { type ServiceProcesses, send, serviceProcesses } from './service-processes.ts';

export type Death = {
  /** SIGTERM is a graceful stop; SIGKILL is not. */
  signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT';
  /** Workers and encoders die at the same moment, as in a power failure. Otherwise they notice it and exit. */
  workersToo?: boolean;
  /** Additional environment variables from then on. */
  env?: Record<string, string>;
};

export type RestartableService = {
  apiUrl: string;
  dataFolder: string;
  /** clients of the embedded AWS, and the stored data */
  account: Account;
  processes(): Promise<ServiceProcesses>;
  /**
   * Restarts the service with the same data and ports; resolves when it is ready. Concurrent calls run one after the
   * other.
   */
  restart(death: Death): Promise<void>;
  /** Environment variables in addition to those of this process. */
  env(): Readonly<Record<string, string>>;
  /** Number of starts. */
  starts(): number;
  stop(): Promise<void>;
};

export type RestartableOptions = {
  dataFolder: string;
  port: number;
  env: Record<string, string>;
  /** Called for an unexpected exit, with the last output. The service is then restarted. */
  onCrash: (text: string) => void;
};

/** `npm start`, restarted as often as necessary. */
export async function startRestartable(given: RestartableOptions): Promise<RestartableService> {
  const options = { ...given, env: { ...given.env } };
  const { dataFolder } = options;
  let starts = 0;
  let current = await start();
  const { apiUrl } = current;
  const account = patient(await openAccount(dataFolder));
  let turn: Promise<unknown> = Promise.resolve();
  let stopped: Promise<void> | undefined;
  /** The process that is being stopped. */
  let doomed: Service | undefined;

  async function start(): Promise<Service> {
    const service = await startService(options);
    starts += 1;
    void service.ended.then((status) => {
      if (service === doomed) return;
      given.onCrash(`the service ended by itself with ${status}: ${service.errors.slice(-20).join('\n')}`);
      if (!stopped) void inTurn(startAgain);
    });
    return service;
  }

  async function startAgain(): Promise<void> {
    current = await start();
  }

  /** Sequential, also after failures. */
  function inTurn(act: () => Promise<void>): Promise<void> {
    const done = turn.then(act);
    turn = done.catch(() => undefined);
    return done;
  }

  async function restartNow({ signal, workersToo, env }: Death): Promise<void> {
    const { service, workers, encoders } = await serviceProcesses(dataFolder);
    const own = workers.filter(({ isService }) => isService).map(({ pid }) => pid);
    doomed = current;
    for (const pid of service) send(pid, signal);
    if (workersToo) {
      for (const pid of own) send(pid, 'SIGKILL');
      for (const { pid, worker } of encoders) if (own.includes(worker)) send(pid, 'SIGKILL');
    }
    await current.ended;
    Object.assign(options.env, env);
    await startAgain();
  }

  async function stop(): Promise<void> {
    await turn;
    doomed = current;
    await current.stop();
    account.close();
  }

  return {
    apiUrl,
    dataFolder,
    account,
    processes: () => serviceProcesses(dataFolder),
    restart: (death) => inTurn(() => restartNow(death)),
    env: () => options.env,
    starts: () => starts,
    stop: () => (stopped ??= stop()),
  };
}
