import type { AccountLimits } from '../account/account-limits.ts';
import type { TaskDefinition } from '../template/read-task-definitions.ts';
import type { EcsChaos } from './ecs-chaos.ts';
import type { LaunchTokens } from './launch-tokens.ts';
import type { TaskRegistry } from './task-registry.ts';
import type { TaskSlots } from './task-slots.ts';
import type { VcpuQuotas } from './vcpu-quotas.ts';

export type EcsOptions = {
  taskDefinitions: TaskDefinition[];
  /** The folder that contains the entry files of the containers. */
  entryFolder: string;
  /** Contains a folder for each running task, named by its slot. */
  folder: string;
  region: string;
  accountId: string;
  /** Tasks that may run at the same time. */
  maxTasks: number;
  /** The decrypted value of an SSM parameter, or undefined if it does not exist. */
  parameter: (name: string) => string | undefined;
  /** Variables of every container, by the slot of its task. */
  slotEnvironment: (slot: number) => Record<string, string>;
  log: (containerName: string, line: string) => void;
  chaos?: EcsChaos | undefined;
  limits?: AccountLimits | undefined;
};

/** What the operations work on. */
export type EcsContext = {
  options: EcsOptions;
  tasks: TaskRegistry;
  slots: TaskSlots;
  vcpus: VcpuQuotas;
  tokens: LaunchTokens;
};

export type EcsInput = Record<string, unknown>;
