import { isBrokerError, type Code } from '../../core/contract/errors.ts';

/**
 * How bad a refusal is, as LSF reads it: by `error` it takes the template for one that is of no use, by `warning` it
 * may ask again.
 */
export type Grade = 'error' | 'warning';

/** What the cloud says is wrong for good. */
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

/** What we say is wrong with the template itself. */
const ofTemplate: ReadonlySet<Code> = new Set(['TEMPLATE_NOT_FOUND', 'TEMPLATE_INVALID', 'API_NOT_SUPPORTED']);

/** The code of the cloud on which a message rests. */
export const cloudCodeIn = (message: string): string | undefined => /Error Code: ([\w.]+\w)/.exec(message)?.[1];

export function gradeOf(error: unknown): Grade {
  if (!isBrokerError(error)) return 'warning';
  const code = cloudCodeIn(error.message);
  return ofTemplate.has(error.code) || (code !== undefined && fatal.has(code)) ? 'error' : 'warning';
}
