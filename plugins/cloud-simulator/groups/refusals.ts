import { AwsError } from '../wire/errors.ts';

/** The error of Auto Scaling for nearly every invalid call. */
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

/** Translates the code of an EC2 error into that of Auto Scaling; other errors do not change. */
export function asGroupError(error: unknown): unknown {
  if (!(error instanceof AwsError)) return error;
  const code = asValidation.has(error.code) ? 'ValidationError' : renamed[error.code];
  return code === undefined ? error : new AwsError(code, error.message);
}
