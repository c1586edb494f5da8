import { type Account, openAccount } from '../journey/account.ts';
import { type Service, startService } from '../journey/service.ts';
import { type ServiceProcesses, send, serviceProcesses } from './service-processes.ts';

export type Death = {
  /** SIGTERM lets it stop in order; SIGKILL does not. */
  signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT';
  /** Workers and encoders die in the same moment, as when the power fails. Otherwise they see by themselves that they work for nobody. */
  workersToo?: boolean;
  /** Variables that the service has from then on besides those of before. */
  env?: Record<string, string>;
};

export type RestartableService = {
  apiUrl: string;
  /** where the embedded AWS services answer */
  awsUrl: string;
  dataFolder: string;
  /** clients of the embedded AWS services, and what is stored there */
  account: Account;
  processes(): Promise<ServiceProcesses>;
  /** Ends the service and starts it again over the same data and ports; resolves when it is ready. Several calls at a time follow one another. */
  restart(death: Death): Promise<void>;
  /** What it is started with besides the environment of this process. */
  env(): Readonly<Record<string, string>>;
  /** How often it was started. */
  starts(): number;
  /** What it wrote to stderr. */
  errors(): string[];
  stop(): Promise<void>;
};

export type RestartableOptions = { dataFolder: string; port: number; env: Record<string, string> };

/** `npm start`, as often as it takes. */
export async function startRestartable(given: RestartableOptions): Promise<RestartableService> {
  const options = { ...given, env: { ...given.env } };
  const running: Service[] = [await startService(options)];
  const current = (): Service => running.at(-1)!;
  const { dataFolder } = options;
  const { apiUrl } = current();
  const account = await openAccount(apiUrl, dataFolder);
  let turn: Promise<unknown> = Promise.resolve();

  async function restartNow({ signal, workersToo, env }: Death): Promise<void> {
    const { service, workers, encoders } = await serviceProcesses(dataFolder);
    for (const pid of service) send(pid, signal);
    if (workersToo) for (const { pid } of [...workers, ...encoders]) send(pid, 'SIGKILL');
    await current().ended;
    Object.assign(options.env, env);
    running.push(await startService(options));
  }

  return {
    apiUrl,
    awsUrl: account.url,
    dataFolder,
    account,
    processes: () => serviceProcesses(dataFolder),
    restart(death) {
      const restarted = turn.then(() => restartNow(death));
      turn = restarted.catch(() => undefined);
      return restarted;
    },
    env: () => options.env,
    starts: () => running.length,
    errors: () => running.flatMap(({ errors }) => errors),
    async stop() {
      await turn;
      await current().stop();
      account.close();
    },
  };
}
