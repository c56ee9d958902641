import type { Action, ActionCall } from './action.ts';
import { machineBucket, requestBucket } from './bucket-sizes.ts';
import { filledBucket } from '../state/buckets.ts';
import { AwsError } from '../wire/errors.ts';

/**
 * Refuses a call for its rate, by `throttle.next` and by token buckets: EC2 with RequestLimitExceeded, other services
 * with Throttling.
 */
export function throttle(action: Action, service: string, call: ActionCall): void {
  const { knobs, rules } = call;
  const due = knobs.throttle.next.filter(
    (rule) =>
      (rule.action === action.name || rule.action === '*') &&
      rules.inForce(rule, call) &&
      rules.hit(rule, 1, rule.times),
  );
  if (due.length > 0) throw rateExceeded(service);
  if (knobs.throttle.default_buckets) drawFromBuckets(action, service, call);
}

/** The throttling error of the service. */
export function rateExceeded(service: string): AwsError {
  if (service === 'ec2') return new AwsError('RequestLimitExceeded', 'Request limit exceeded.');
  return new AwsError(service === 'ssm' || service === 'sqs' ? 'ThrottlingException' : 'Throttling', 'Rate exceeded');
}

function drawFromBuckets(action: Action, service: string, call: ActionCall): void {
  const { key, name, size } = requestBucket(action, service, call.params);
  const ownSize = call.knobs.throttle.buckets[name]?.requests;
  const requests = filledBucket(call.state.buckets, `${key}/requests`, ownSize ?? size, call.now);
  const machines = action.resources?.(call.params) ?? 0;
  const resources = machineBucket(call, action.name);
  // Both buckets are checked before either is drawn from.
  if (requests.tokens < 1 || (resources !== undefined && resources.tokens < machines)) throw rateExceeded(service);
  requests.tokens -= 1;
  if (resources !== undefined) resources.tokens -= machines;
}
