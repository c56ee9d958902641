import type { ActionCall } from '../dispatch/action.ts';
import { AwsError } from './errors.ts';
import { part, parts } from './form.ts';

/** Refuses a call with more filters, or more values in one, than EC2 takes. */
export function checkFilterLimits({ params, knobs: { limits } }: ActionCall): void {
  const filters = parts(params, 'Filter');
  if (filters.length > limits.filters) throw limitExceeded(`The maximum number of filters is ${limits.filters}`);
  const long = filters.some((filter) => Object.keys(part(filter, 'Value') ?? {}).length > limits.filter_values);
  if (long) throw limitExceeded(`The maximum number of filter values specified on a single call is ${limits.filter_values}`);
}

function limitExceeded(message: string): AwsError {
  return new AwsError('FilterLimitExceeded', message);
}
