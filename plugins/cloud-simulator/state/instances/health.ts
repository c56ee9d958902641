import { createHash } from 'node:crypto';
import type { HealthRule } from '../../knobs/machine-knobs.ts';
import type { CallContext } from '../call-context.ts';
import { fits } from '../../pattern.ts';
import { type Instance, stateOf } from './instance.ts';
import { isOut } from '../outages.ts';

/** The result of a status check; only running machines are checked. */
export type Check = 'ok' | 'impaired' | 'insufficient-data' | 'initializing' | 'not-applicable';

/** A scheduled event of a machine or of its host. */
export interface ScheduledEvent {
  readonly id: string;
  readonly code: NonNullable<HealthRule['event']>;
  readonly description: string;
  readonly notBefore: number;
  /** Undefined for retirement and stop, which have no end. */
  readonly notAfter: number | undefined;
}

/** The status checks and the scheduled events of a machine. */
export interface InstanceHealth {
  readonly instance: Check;
  readonly system: Check;
  readonly ebs: Check;
  readonly events: readonly ScheduledEvent[];
  /** Since when one of the checks is impaired. */
  readonly impairedSince: number | undefined;
}

const dayMs = 86_400_000;
const workMs = 7_200_000;

const descriptions: Readonly<Record<ScheduledEvent['code'], string>> = {
  'instance-reboot': 'The instance is scheduled for a reboot',
  'system-reboot': 'The host of the instance is scheduled for a reboot',
  'system-maintenance': 'The host of the instance is scheduled for maintenance',
  'instance-retirement': 'The instance is running on degraded hardware',
  'instance-stop': 'The instance is scheduled to be stopped',
};

const sound: InstanceHealth = { instance: 'ok', system: 'ok', ebs: 'ok', events: [], impairedSince: undefined };
const unchecked: InstanceHealth = {
  instance: 'not-applicable',
  system: 'not-applicable',
  ebs: 'not-applicable',
  events: [],
  impairedSince: undefined,
};

/**
 * The health of a machine: `ok` while it runs, unless the knobs say otherwise. The last rule that concerns a check
 * decides.
 */
export function healthOf(context: CallContext, instance: Instance): InstanceHealth {
  const { knobs, rules, now } = context;
  if (stateOf(instance, now) !== 'running') return unchecked;
  if (knobs.health.length === 0 && knobs.outages.length === 0) return sound;

  const concerned = knobs.health.filter((rule) => concerns(rule, instance) && rules.inForce(rule, context));
  const outage = isOut(context, instance.zone);
  if (concerned.length === 0 && !outage) return sound;

  const checks: Record<'instance' | 'system' | 'ebs', Check> = {
    instance: 'ok',
    system: outage ? 'impaired' : 'ok',
    ebs: 'ok',
  };
  for (const rule of concerned) checks[rule.check ?? 'instance'] = rule.status ?? 'impaired';
  const culprits = [
    ...concerned.filter((rule) => (rule.status ?? 'impaired') === 'impaired'),
    ...knobs.outages.filter((rule) => fits(rule.zone, instance.zone) && rules.inForce(rule, context)),
  ];
  const starts = culprits.map((rule) => (rules.begunAt(rule) ?? now) + (rule.from_ms ?? 0));
  return {
    ...checks,
    events: concerned.flatMap((rule) => eventOf(context, rule, instance) ?? []),
    impairedSince: starts.length === 0 ? undefined : Math.max(instance.runningAt, Math.min(...starts)),
  };
}

function concerns(rule: HealthRule, instance: Instance): boolean {
  return (rule.instance_ids?.includes(instance.id) ?? true) && fits(rule.zone, instance.zone);
}

function eventOf(context: CallContext, rule: HealthRule, instance: Instance): ScheduledEvent | undefined {
  const { event: code } = rule;
  if (code === undefined) return undefined;
  const notBefore = (context.rules.begunAt(rule) ?? context.now) + (rule.event_in_ms ?? dayMs);
  const endless = code === 'instance-retirement' || code === 'instance-stop';
  return {
    id: `instance-event-0${createHash('sha256').update(`${instance.id}/${code}`).digest('hex').slice(0, 16)}`,
    code,
    description: descriptions[code],
    notBefore,
    notAfter: endless ? undefined : notBefore + workMs,
  };
}
