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
  /** a node is active when all its required steps have succeeded */
  required: boolean;
  /** does not interrupt an active node */
  safeWhenActive: boolean;
  /** time limit on the server; together with connecting it is below Lambda's limit of 15 minutes */
  timeoutSeconds: number;
};

const steps: readonly (Step & { onlyFor?: NodeTarget['type'] })[] = [
  {
    name: 'check',
    title: 'Check',
    description: 'Connect over SSH; check system, architecture, memory, disk, clock and the connection to the API.',
    required: true,
    safeWhenActive: true,
    timeoutSeconds: 60,
  },
  {
    name: 'packages',
    title: 'Packages',
    description: 'Install the packages that the other steps need, from the distribution.',
    required: true,
    safeWhenActive: true,
    timeoutSeconds: 600,
  },
  {
    name: 'docker',
    title: 'Docker',
    description: 'Install the distribution’s Docker engine, unless one is installed, and start it at boot.',
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
    description:
      'Write settings and secrets, readable by root only. A running proxy reloads them without interruption.',
    required: true,
    safeWhenActive: true,
    timeoutSeconds: 60,
  },
  {
    name: 'certificate',
    title: 'Certificate',
    description:
      'Get a certificate for the host name by ACME, unless there is a valid one, and renew it automatically.',
    required: true,
    safeWhenActive: true,
    timeoutSeconds: 300,
    onlyFor: 'proxy',
  },
  {
    name: 'start',
    title: 'Start',
    description: 'Start the containers. Containers with another image or configuration are replaced.',
    required: true,
    safeWhenActive: false,
    timeoutSeconds: 300,
  },
  {
    name: 'verify',
    title: 'Verify',
    description:
      'Check that the containers keep running, that workers call the service, and that a proxy delivers a file.',
    required: true,
    safeWhenActive: true,
    timeoutSeconds: 120,
  },
  {
    name: 'drain',
    title: 'Drain',
    description: 'Stop the containers. They stay stopped until the next start.',
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
