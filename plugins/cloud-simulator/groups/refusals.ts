import { AwsError } from '../wire/errors.ts';

/** What Auto Scaling says of nearly everything that is wrong with a call. */
export function validationError(message: string): AwsError {
  return new AwsError('ValidationError', message);
}

export function activityInProgress(message: string): AwsError {
  return new AwsError('ScalingActivityInProgress', message);
}

export function resourceInUse(message: string): AwsError {
  return new AwsError('ResourceInUse', message);
}

const asValidation = new Set([
  'InvalidParameterValue',
  'InvalidParameterCombination',
  'InvalidParameter',
  'MissingParameter',
  'UnknownParameter',
]);
const renamed: Readonly<Record<string, string>> = {
  InvalidPaginationToken: 'InvalidNextToken',
  TagLimitExceeded: 'LimitExceeded',
  FilterLimitExceeded: 'ValidationError',
};

/** A refusal in the words of EC2, in those of Auto Scaling. */
export function inGroupWords(error: unknown): unknown {
  if (!(error instanceof AwsError)) return error;
  const code = asValidation.has(error.code) ? 'ValidationError' : renamed[error.code];
  return code === undefined ? error : new AwsError(code, error.message);
}
