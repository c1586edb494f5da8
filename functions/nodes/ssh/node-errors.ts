import { BadGateway } from '../../common/errors.ts';

/** Why a server could not be talked to over SSH. Codes are stable; the sentences that go with them are in `ssh/connect-failure.ts`. */
export type ConnectionCode =
  | 'SSH_UNREACHABLE'
  | 'SSH_TIMED_OUT'
  | 'SSH_HANDSHAKE_FAILED'
  | 'SSH_HOST_KEY_CHANGED'
  | 'SSH_AUTHENTICATION_REFUSED'
  | 'SSH_KEY_UNREADABLE'
  | 'SSH_SESSION_LOST';

/** Why a step did not succeed on a server that could be talked to. What begins with a part's name comes from the step's script. */
export const stepCodes = [
  'API_UNREACHABLE',
  'ARCHITECTURE_UNSUPPORTED',
  'CERTIFICATE_FAILED',
  'CLOCK_WRONG',
  'CONFIGURATION_REFUSED',
  'CONTAINER_FAILED',
  'DISK_TOO_SMALL',
  'DOCKER_FAILED',
  'HOST_KEY_UNKNOWN',
  'IMAGE_FAILED',
  'MEMORY_TOO_SMALL',
  'NODE_BUSY',
  'NOT_HEALTHY',
  'OUTPUT_TOO_LARGE',
  'PACKAGES_FAILED',
  'STEP_FAILED',
  'STEP_TIMED_OUT',
  'SUDO_REFUSED',
  'SYSTEM_UNSUPPORTED',
  'VALUES_INVALID',
] as const;
export type StepCode = (typeof stepCodes)[number];

/** The server could not be talked to: 502 for whoever asked at once, the step's error for whoever looks later. */
export class NodeUnreachable extends BadGateway {
  readonly code: ConnectionCode | StepCode;

  constructor(code: ConnectionCode | StepCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The server was reached, and the step did not do what it is for. */
export class StepFailed extends Error {
  readonly code: StepCode;

  constructor(code: StepCode, message: string) {
    super(message);
    this.code = code;
  }
}
