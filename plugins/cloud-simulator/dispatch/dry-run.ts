import type { Params } from '../wire/form.ts';
import { AwsError } from '../wire/errors.ts';
import { flag } from '../wire/values.ts';

/**
 * Ends a dry run. An action that changes the cloud calls this after it has checked the parameters and before its first
 * change, because AWS reports wrong parameters of a dry run too. Capacity and quotas are not checked before.
 */
export function endDryRun({ params }: { readonly params: Params }): void {
  if (flag(params, 'DryRun'))
    throw new AwsError('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.');
}
