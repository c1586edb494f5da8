import { deletionFaults } from './deletion-faults.ts';
import { deliveryFaults } from './delivery-faults.ts';
import { earlyPlaybackFaults } from './early-playback-faults.ts';
import { eventFaults } from './event-faults.ts';
import type { FaultSet } from './fault.ts';
import { oddWorkerFaults } from './odd-worker-faults.ts';
import { processFaults } from './process-faults.ts';
import { serviceFaults } from './service-faults.ts';
import { stopFaults } from './stop-faults.ts';
import { storeFaults } from './store-faults.ts';
import { videoFaults } from './video-faults.ts';
import { webhookFaults } from './webhook-faults.ts';

export const allFaults: FaultSet[] = [
  processFaults,
  serviceFaults,
  oddWorkerFaults,
  videoFaults,
  deletionFaults,
  stopFaults,
  eventFaults,
  storeFaults,
  webhookFaults,
  earlyPlaybackFaults,
  deliveryFaults,
];
