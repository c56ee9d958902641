import type { Pool } from '../capacity.ts';
import type { CallContext } from '../state/call-context.ts';
import { fits } from '../pattern.ts';

/** Whether a new machine of the pool is to stay pending for ever by the knob `stuck`. Counts it. */
export function staysPending(context: CallContext, pool: Pool): boolean {
  const { knobs, rules } = context;
  return knobs.stuck.some(
    (rule) =>
      rules.inForce(rule, context) &&
      fits(rule.instance_type, pool.instanceType) &&
      fits(rule.zone, pool.zone) &&
      rules.hit(rule, 1, rule.times === undefined ? 1 : rule.times),
  );
}
