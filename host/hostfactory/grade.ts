import { isBrokerError, type Code } from '../../core/contract/errors.ts';

/**
 * The severity of an error for LSF: after `error` it stops using the template, after `warning` it may request again.
 */
export type Grade = 'error' | 'warning';

/** Error codes of the cloud that do not go away. */
const fatal = new Set([
  'AuthFailure',
  'Blocked',
  'UnauthorizedOperation',
  'InvalidAction',
  'UnsupportedInstanceAttribute',
  'Unsupported',
  'InvalidParameterCombination',
  'InvalidSpotFleetRequestConfig',
  'InvalidSubnetID.NotFound',
]);

/** Error codes of muster about the template itself. */
const ofTemplate: ReadonlySet<Code> = new Set(['TEMPLATE_NOT_FOUND', 'TEMPLATE_INVALID', 'API_NOT_SUPPORTED']);

/** Returns the error code of the cloud in a message. */
export const cloudCodeIn = (message: string): string | undefined => /Error Code: ([\w.]+\w)/.exec(message)?.[1];

export function gradeOf(error: unknown): Grade {
  if (!isBrokerError(error)) return 'warning';
  const code = cloudCodeIn(error.message);
  return ofTemplate.has(error.code) || (code !== undefined && fatal.has(code)) ? 'error' : 'warning';
}
