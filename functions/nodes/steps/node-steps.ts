import type { NodeTarget } from '../ssh/node-target.ts';

export const stepNames = [
  'check',
  'packages',
  'docker',
  'image',
  'configure',
  'certificate',
  'start',
  'verify',
  'drain',
  'remove',
] as const;
export type StepName = (typeof stepNames)[number];

export type Step = {
  name: StepName;
  title: string;
  description: string;
  /** a node is active once every required step has succeeded */
  required: boolean;
  /** disturbs nothing that a running node does */
  safeWhenActive: boolean;
  /** how long the server lets it run; with connecting it stays below the 15 minutes of one invocation */
  timeoutSeconds: number;
};

const steps: readonly (Step & { onlyFor?: NodeTarget['type'] })[] = [
  {
    name: 'check',
    title: 'Check',
    description: 'Open SSH; read system, architecture, memory, disk and clock; reach the API.',
    required: true,
    safeWhenActive: true,
    timeoutSeconds: 60,
  },
  {
    name: 'packages',
    title: 'Packages',
    description: 'Install what the other steps use, from the distribution.',
    required: true,
    safeWhenActive: true,
    timeoutSeconds: 600,
  },
  {
    name: 'docker',
    title: 'Docker',
    description: 'Install the distribution’s Docker engine, unless there is one, and have it start with the server.',
    required: true,
    safeWhenActive: true,
    timeoutSeconds: 600,
  },
  {
    name: 'image',
    title: 'Image',
    description: 'Pull the image by its digest.',
    required: true,
    safeWhenActive: true,
    timeoutSeconds: 780,
  },
  {
    name: 'configure',
    title: 'Configure',
    description: 'Write settings and secrets, for root only. A running proxy takes them over without a break.',
    required: true,
    safeWhenActive: true,
    timeoutSeconds: 60,
  },
  {
    name: 'certificate',
    title: 'Certificate',
    description:
      'Get a certificate for the host name by ACME, unless there is a valid one, and have it renewed in time.',
    required: true,
    safeWhenActive: true,
    timeoutSeconds: 300,
    onlyFor: 'proxy',
  },
  {
    name: 'start',
    title: 'Start',
    description: 'Start the containers; those of another image or configuration are replaced.',
    required: true,
    safeWhenActive: false,
    timeoutSeconds: 300,
  },
  {
    name: 'verify',
    title: 'Verify',
    description: 'See that the containers stay up, and that a proxy answers by its name.',
    required: true,
    safeWhenActive: true,
    timeoutSeconds: 120,
  },
  {
    name: 'drain',
    title: 'Drain',
    description: 'Stop the containers; they stay stopped until the next start.',
    required: false,
    safeWhenActive: true,
    timeoutSeconds: 120,
  },
  {
    name: 'remove',
    title: 'Remove',
    description: 'Remove the containers, their data, settings and secrets. Docker stays.',
    required: false,
    safeWhenActive: false,
    timeoutSeconds: 300,
  },
];

/** The steps of a node in their order. */
export const stepsOf = (type: NodeTarget['type']): Step[] =>
  steps.filter(({ onlyFor }) => onlyFor === undefined || onlyFor === type).map(({ onlyFor, ...step }) => step);
