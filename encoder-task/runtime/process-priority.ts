import { findProgram } from './find-program.ts';

/**
 * What a process gets of a busy machine: `normal` when a viewer waits for its job, `reduced` when it runs beside such a
 * job and needs little, `lowest` when all others go before it, `low` otherwise.
 */
export type ProcessPriority = 'normal' | 'reduced' | 'low' | 'lowest';

/**
 * Of 19. A process with a low priority gets about a tenth of the processor time that one with normal priority gets
 * beside it, and a third with a reduced one. The lowest gets a third of a low one: an encode goes on at nearly its
 * speed, and speech does not stand still on a machine that encodes for hours, as it would with 19.
 */
const niceness = { normal: 0, reduced: 5, low: 10, lowest: 15 } as const satisfies Record<ProcessPriority, number>;

const nice = findProgram('nice');

/**
 * The command with its priority: on a machine with several workers, a viewer may be waiting for the job of another one.
 * `nice` sets it before the program starts its threads, and replaces itself with the program.
 */
export const withPriority = (priority: ProcessPriority, command: string[]): string[] =>
  nice && priority !== 'normal' ? [nice, '-n', String(niceness[priority]), ...command] : command;
