import { authorize } from '../iam/authorize.ts';
import type { Identity, Principal } from '../iam/principals.ts';

/** The member of the input that names the parameters of an operation. */
const subjects = {
  DeleteParameter: 'Name',
  DeleteParameters: 'Names',
  GetParameter: 'Name',
  GetParameters: 'Names',
  GetParametersByPath: 'Path',
  PutParameter: 'Name',
} as const;

export type OperationName = keyof typeof subjects;

export const parameterArn = (region: string, name: string): string =>
  `arn:aws:ssm:${region}:000000000000:parameter/${name.replace(/^\//, '')}`;

type KeyAction = 'Encrypt' | 'GenerateDataKey' | 'Decrypt';

/**
 * Parameter Store uses the key of a SecureString in the name of its caller.
 * @throws AccessDenied unless the caller may use the key through Parameter Store
 */
export function authorizeKey(caller: Identity, action: KeyAction, keyArn: string | undefined, region: string): void {
  if (keyArn === undefined) return;
  authorize(caller, `kms:${action}`, keyArn, { 'kms:viaservice': `ssm.${region}.amazonaws.com` });
}

/** @throws AccessDenied unless the caller may access every parameter or path that the input names */
export function authorizeCall(
  caller: Principal,
  operation: OperationName,
  input: Record<string, unknown>,
  region: string,
): void {
  for (const name of [input[subjects[operation]]].flat()) {
    authorize(caller, `ssm:${operation}`, parameterArn(region, String(name)));
  }
}
