/** Why an SSH connection failed. The codes are stable; their messages are in `connect-failure.ts`. */
export type ConnectionCode =
  | 'ADDRESS_REFUSED'
  | 'SSH_UNREACHABLE'
  | 'SSH_TIMED_OUT'
  | 'SSH_HANDSHAKE_FAILED'
  | 'SSH_HOST_KEY_CHANGED'
  | 'SSH_AUTHENTICATION_REFUSED'
  | 'SSH_KEY_UNREADABLE'
  | 'SSH_SESSION_LOST';

/** Why a step failed on a server that could be reached. Most of them are set by the step's script. */
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

/**
 * The server could not be reached: a 502 for a synchronous request, and the error of a step that ran in the background.
 */
export class NodeUnreachable extends Error {
  readonly code: ConnectionCode | StepCode;

  constructor(code: ConnectionCode | StepCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The server was reached, but the step failed. */
export class StepFailed extends Error {
  readonly code: StepCode;

  constructor(code: StepCode, message: string) {
    super(message);
    this.code = code;
  }
}
