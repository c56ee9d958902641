import { priceOf } from '../../capacity.ts';
import type { ReclaimRule } from '../../knobs/machine-knobs.ts';
import { draw } from '../../knobs/span.ts';
import { endInstance } from '../../launch/end-instance.ts';
import type { Moment } from '../../dispatch/call-context.ts';
import { type Instance, type Interruption, isLive } from './instance.ts';

const spotTermination = { code: 'Server.SpotInstanceTermination', message: 'Server.SpotInstanceTermination: Spot instance termination' };

/**
 * Gives notice to the Spot machines that a rule means, as of the moment in which it was set: all of its `instance_ids`, or its share of
 * the Spot machines of all regions together. One moment for each region.
 */
export function strike(moments: readonly Moment[], rule: ReclaimRule): void {
  const targets = moments.filter((moment) => moment.rules.inForce(rule, moment)).flatMap((moment) => targetsIn(moment, rule));
  for (const { moment, instance } of rule.instance_ids === undefined ? part(targets, rule.share ?? 1) : targets) {
    interrupt(moment, instance, rule);
  }
}

/** Plans the strikes of rules that come into force later, once for each region; each region then counts the share by itself. */
export function planStrikes(moment: Moment): void {
  const { knobs, rules, state, now } = moment;
  for (const rule of knobs.reclaim) {
    const at = (rules.begunAt(rule) ?? now) + (rule.from_ms ?? 0);
    if (at <= now || state.strikesPlanned.has(rule)) continue;
    state.strikesPlanned.add(rule);
    state.agenda.plan(at, (then) => {
      if (then.knobs.reclaim.includes(rule)) strike([then], rule);
    });
  }
}

/** Plans what becomes of a new Spot machine: by the rules in force that have `after_ms`, and by those that strike later. */
export function planInterruption(moment: Moment, instance: Instance): void {
  const { knobs, rules, random, state } = moment;
  planStrikes(moment);
  for (const rule of knobs.reclaim) {
    if (rule.after_ms === undefined || rule.instance_ids !== undefined || !rules.inForce(rule, moment)) continue;
    if (random.next() >= (rule.share ?? 1)) continue;
    state.agenda.plan(instance.runningAt + draw(rule.after_ms, random), (then) => interrupt(then, instance, rule));
  }
}

/** Gives notice to a live Spot machine that has none yet, and ends it when the time of notice is over. */
export function interrupt(moment: Moment, instance: Instance, rule: ReclaimRule): void {
  const { state, now, touched } = moment;
  if (!isLive(instance, now) || instance.interruption !== undefined) return;
  instance.interruption = { noticedAt: now, code: causeOf(moment, instance) };
  touched.push(instance.id);
  const noticeMs = (rule.notice_s ?? 120) * 1000;
  if (noticeMs === 0) return endInstance(moment, instance, spotTermination);
  state.agenda.plan(now + noticeMs, (then) => endInstance(then, instance, spotTermination));
}

interface Target {
  readonly moment: Moment;
  readonly instance: Instance;
}

function targetsIn(moment: Moment, rule: ReclaimRule): Target[] {
  const { state, now } = moment;
  const machines: Iterable<Instance> = rule.instance_ids?.flatMap((id) => state.instances.get(id) ?? []) ?? state.instances;
  const targets: Target[] = [];
  for (const instance of machines) {
    if (isSpot(instance) && isLive(instance, now) && instance.interruption === undefined) targets.push({ moment, instance });
  }
  return targets;
}

/** A share of the targets by chance: rounded, but at least one of them. */
function part(targets: readonly Target[], share: number): readonly Target[] {
  const random = targets[0]?.moment.random;
  if (random === undefined || share === 1) return targets;
  const wanted = Math.max(1, Math.round(share * targets.length));
  const shuffled = [...targets];
  for (let at = 0; at < wanted; at++) {
    const other = at + Math.floor(random.next() * (shuffled.length - at));
    [shuffled[at], shuffled[other]] = [shuffled[other] as Target, shuffled[at] as Target];
  }
  return shuffled.slice(0, wanted);
}

function causeOf(moment: Moment, instance: Instance): Interruption['code'] {
  const { maxPrice, type } = instance.reservation.spec;
  const pool = { instanceType: type.instance_type, zone: instance.zone, market: 'spot' as const };
  const offer = maxPrice ?? priceOf(moment, { ...pool, market: 'on-demand' });
  return offer < priceOf(moment, pool) ? 'instance-terminated-by-price' : 'instance-terminated-no-capacity';
}

function isSpot(instance: Instance): boolean {
  return instance.reservation.spec.market === 'spot';
}
