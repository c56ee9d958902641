import { priceOf } from '../../capacity.ts';
import type { ReclaimRule } from '../../knobs/machine-knobs.ts';
import { draw } from '../../knobs/span.ts';
import { endInstance } from '../../launch/end-instance.ts';
import { postInterruption } from '../../queues/machine-events.ts';
import type { CallContext } from '../call-context.ts';
import { type Instance, type Interruption, isLive } from './instance.ts';

const spotTermination = {
  code: 'Server.SpotInstanceTermination',
  message: 'Server.SpotInstanceTermination: Spot instance termination',
};

/**
 * Interrupts the Spot machines that a new rule selects: all of its `instance_ids`, or its share of the Spot machines
 * of all regions together. `contexts` has one context for each region.
 */
export function reclaimNow(contexts: readonly CallContext[], rule: ReclaimRule): void {
  const targets = contexts
    .filter((context) => context.rules.inForce(rule, context))
    .flatMap((context) => targetsIn(context, rule));
  for (const { context, instance } of rule.instance_ids === undefined ? part(targets, rule.share ?? 1) : targets) {
    interrupt(context, instance, rule);
  }
}

/** Plans the rules that come into force later, once for each region. Each region then applies the share separately. */
export function planReclaims(context: CallContext): void {
  const { knobs, rules, state, now } = context;
  for (const rule of knobs.reclaim) {
    const at = (rules.begunAt(rule) ?? now) + (rule.from_ms ?? 0);
    if (at <= now || state.reclaimsPlanned.has(rule)) continue;
    state.reclaimsPlanned.add(rule);
    state.timers.plan(at, (then) => {
      if (then.knobs.reclaim.includes(rule)) reclaimNow([then], rule);
    });
  }
}

/**
 * Plans the interruptions of a new Spot machine: by rules in force with `after_ms`, and by rules that come into force
 * later.
 */
export function planInterruption(context: CallContext, instance: Instance): void {
  const { knobs, rules, random, state } = context;
  planReclaims(context);
  for (const rule of knobs.reclaim) {
    if (rule.after_ms === undefined || rule.instance_ids !== undefined || !rules.inForce(rule, context)) continue;
    if (random.next() >= (rule.share ?? 1)) continue;
    state.timers.plan(instance.runningAt + draw(rule.after_ms, random), (then) => interrupt(then, instance, rule));
  }
}

/** Gives notice to a live Spot machine that has none yet, and ends the machine after the notice period. */
function interrupt(context: CallContext, instance: Instance, rule: ReclaimRule): void {
  const { state, now, touched } = context;
  if (!isLive(instance, now) || instance.interruption !== undefined) return;
  instance.interruption = { noticedAt: now, code: causeOf(context, instance) };
  touched.push(instance.id);
  const noticeMs = (rule.notice_s ?? 120) * 1000;
  if (noticeMs === 0) return endInstance(context, instance, spotTermination);
  postInterruption(context, instance);
  state.timers.plan(now + noticeMs, (then) => endInstance(then, instance, spotTermination));
}

interface Target {
  readonly context: CallContext;
  readonly instance: Instance;
}

function targetsIn(context: CallContext, rule: ReclaimRule): Target[] {
  const { state, now } = context;
  const machines: Iterable<Instance> =
    rule.instance_ids?.flatMap((id) => state.instances.get(id) ?? []) ?? state.instances;
  const targets: Target[] = [];
  for (const instance of machines) {
    if (isSpot(instance) && isLive(instance, now) && instance.interruption === undefined)
      targets.push({ context, instance });
  }
  return targets;
}

/** A random share of the targets: rounded, but at least one. */
function part(targets: readonly Target[], share: number): readonly Target[] {
  const random = targets[0]?.context.random;
  if (random === undefined || share === 1) return targets;
  const wanted = Math.max(1, Math.round(share * targets.length));
  const shuffled = [...targets];
  for (let at = 0; at < wanted; at++) {
    const other = at + Math.floor(random.next() * (shuffled.length - at));
    [shuffled[at], shuffled[other]] = [shuffled[other] as Target, shuffled[at] as Target];
  }
  return shuffled.slice(0, wanted);
}

function causeOf(context: CallContext, instance: Instance): Interruption['code'] {
  const { maxPrice, type } = instance.reservation.spec;
  const pool = { instanceType: type.instance_type, zone: instance.zone, market: 'spot' as const };
  const offer = maxPrice ?? priceOf(context, { ...pool, market: 'on-demand' });
  return offer < priceOf(context, pool) ? 'instance-terminated-by-price' : 'instance-terminated-no-capacity';
}

function isSpot(instance: Instance): boolean {
  return instance.reservation.spec.market === 'spot';
}
