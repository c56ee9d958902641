import { takePlaces, type Pool } from '../capacity.ts';
import { lateFailureFor } from '../dispatch/faults.ts';
import { draw } from '../knobs/span.ts';
import type { CallContext } from '../state/call-context.ts';
import { postLaunch } from '../queues/machine-events.ts';
import type { RandomSource } from '../random.ts';
import type { Instance, CapacityController, Reservation } from '../state/instances/instance.ts';
import { planInterruption } from '../state/instances/interruptions.ts';
import { countUsage } from '../state/quotas.ts';
import type { Subnet } from '../state/network/subnets.ts';
import { mergeTags, noTags, type Tags } from '../state/tags.ts';
import { endInstance } from './end-instance.ts';
import type { LaunchSpec } from './specification/launch-spec.ts';
import type { Placement } from './place.ts';
import { fits } from '../pattern.ts';

/** A launch of `count` machines, at most `placement.room`. */
export interface Start {
  readonly spec: LaunchSpec;
  readonly placement: Placement;
  readonly count: number;
  /** Client token of RunInstances, by which its machines can be found. Machines of fleets have no token. */
  readonly token?: string | undefined;
  /** Tags that AWS itself sets. */
  readonly systemTags?: Tags;
  readonly controller?: CapacityController;
  /** The Spot request that the machine fulfills; default a new one for each Spot machine. */
  readonly spotRequestId?: string;
}

/** Starts machines; they exist at once, as `pending`. */
export function startInstances(context: CallContext, start: Start): readonly Instance[] {
  const { state, knobs, now, random, touched } = context;
  const { spec, placement, token } = start;
  const { pool, subnet } = placement;
  const reservation: Reservation = { id: newId('r', random), spec, token };
  const tags = mergeTags(mergeTags(spec.tags, templateTags(spec)), start.systemTags ?? noTags);
  const instances = Array.from({ length: start.count }, (_, launchIndex) => {
    const bootMs = draw(knobs.boot_ms, random);
    const instance: Instance = {
      id: newId('i', random),
      place: state.nextPlace++,
      reservation,
      launchIndex,
      zone: pool.zone,
      subnet,
      address: subnet.take(spec.network.address),
      secondary: takeSecondary(subnet, spec),
      ipv6Only: knobs.ipv6_only.includes(subnet.id),
      spotRequestId: spec.market === 'spot' ? (start.spotRequestId ?? newSpotRequestId(random)) : undefined,
      launchedAt: now,
      startedAt: now,
      runningAt: staysPending(context, pool) ? Number.POSITIVE_INFINITY : now + bootMs,
      stop: undefined,
      stoppedMs: 0,
      tags,
      controller: start.controller,
      interruption: undefined,
      requestCancelledAt: undefined,
      shutdownAt: undefined,
      terminatedAt: undefined,
      reason: undefined,
    };
    state.instances.add(instance);
    touched.push(instance.id);
    const failure = lateFailureFor(context, pool.instanceType, pool.zone, bootMs);
    if (failure !== undefined) {
      state.timers.plan(now + failure.afterMs, (then) => endInstance(then, instance, failure, 0));
    }
    postLaunch(context, instance);
    if (spec.market === 'spot') planInterruption(context, instance);
    return instance;
  });
  takePlaces(state, pool, start.count);
  countUsage(state.usage, spec.type, spec.market, start.count);
  return instances;
}

const noAddresses: readonly number[] = [];

function takeSecondary(subnet: Subnet, { network: { secondaryAddresses: count } }: LaunchSpec): readonly number[] {
  return count === 0 ? noAddresses : Array.from({ length: count }, () => subnet.take());
}

function templateTags({ template }: LaunchSpec): Tags {
  return template === undefined
    ? noTags
    : new Map([
        ['aws:ec2launchtemplate:id', template.id],
        ['aws:ec2launchtemplate:version', template.version],
      ]);
}

// `join` gives a flat string; concatenation would keep a chain of its pieces in memory.
function newId(prefix: string, random: RandomSource): string {
  return [prefix, '-0', random.hex(16)].join('');
}

/**
 * A new id of a Spot request, with eight digits in base 36: with eight hexadecimal digits, two of fifty thousand
 * requests would probably get the same id.
 */
export function newSpotRequestId(random: RandomSource): string {
  const number = Number.parseInt(random.hex(12), 16) % 36 ** 8;
  return `sir-${number.toString(36).padStart(8, '0')}`;
}

/** Whether the knob `stuck` keeps a new machine of the pool pending forever. Counts the machine for the rule. */
function staysPending(context: CallContext, pool: Pool): boolean {
  const { knobs, rules } = context;
  return knobs.stuck.some(
    (rule) =>
      rules.inForce(rule, context) &&
      fits(rule.instance_type, pool.instanceType) &&
      fits(rule.zone, pool.zone) &&
      rules.hit(rule, 1, rule.times === undefined ? 1 : rule.times),
  );
}
