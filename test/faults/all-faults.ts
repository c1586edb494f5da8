import type { FaultSet } from './fault.ts';
import { processFaults } from './process-faults.ts';
import { serviceFaults } from './service-faults.ts';

export const allFaults: FaultSet[] = [processFaults, serviceFaults];
