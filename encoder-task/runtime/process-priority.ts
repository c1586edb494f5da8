import { findProgram } from './find-program.ts';

/** Of 19. A process gets about a tenth of the processor time that one with normal priority gets beside it. */
const lowPriority = '10';

const nice = findProgram('nice');

/**
 * The command with a lower priority, if the job is not urgent: on a machine with several workers, a viewer may be
 * waiting for the job of another one. `nice` sets it before the program starts its threads, and replaces itself with
 * the program.
 */
export const withPriority = (isUrgent: boolean, command: string[]): string[] =>
  nice && !isUrgent ? [nice, '-n', lowPriority, ...command] : command;
