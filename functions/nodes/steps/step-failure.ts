import { StepFailed, stepCodes } from '../ssh/node-errors.ts';
import type { ScriptMessage } from './step-log.ts';

/** What the exit statuses of `sudo`, `timeout` and a script say, and the script's own word on it. */
export function stepFailure(status: number, messages: readonly ScriptMessage[]): StepFailed {
  if (!messages.some(({ kind }) => kind === 'begun'))
    return new StepFailed(
      'SUDO_REFUSED',
      'The user may not run commands as root without a password: allow timeout with bash in sudoers (NOPASSWD).',
    );
  // `timeout` ends with 124 after its SIGTERM, and with 137 after its SIGKILL.
  if (status === 124 || status === 137)
    return new StepFailed('STEP_TIMED_OUT', 'The step took longer than it may, and was ended on the server.');
  // The first: what fails inside of something fails that too.
  const [word = '', ...sentence] = messages.find(({ kind }) => kind === 'error')?.text.split(' ') ?? [];
  const code = stepCodes.find((one) => one === word);
  if (code && sentence.length > 0) return new StepFailed(code, sentence.join(' '));
  return new StepFailed('STEP_FAILED', `The step ended with status ${status}: see the end of its log.`);
}
