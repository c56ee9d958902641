import type { RebalanceRule } from './queue-knobs.ts';
import type { CallContext } from '../state/call-context.ts';
import { type Instance, isLive } from '../state/instances/instance.ts';
import { healthOf } from '../state/instances/health.ts';
import { postRebalance, postScheduledChange } from './machine-events.ts';
import { queuesOf } from './post.ts';

/** Posts rebalance recommendations for the live Spot machines that a new rule selects. */
export function recommend(context: CallContext, rule: RebalanceRule): void {
  const { state, now, random, rules } = context;
  if (!rules.inForce(rule, context)) return;
  const machines: Iterable<Instance> =
    rule.instance_ids?.flatMap((id) => state.instances.get(id) ?? []) ?? state.instances;
  for (const instance of machines) {
    if (instance.reservation.spec.market !== 'spot' || !isLive(instance, now)) continue;
    if (rule.share !== undefined && random.next() >= rule.share) continue;
    postRebalance(context, instance);
  }
}

/** Posts the scheduled changes that the knob `health` gives to running machines now. */
export function announceScheduledChanges(context: CallContext): void {
  if (queuesOf(context).length === 0) return;
  for (const instance of context.state.instances)
    for (const event of healthOf(context, instance).events) postScheduledChange(context, instance, event);
}
