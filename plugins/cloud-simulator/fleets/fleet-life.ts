import { draw } from '../knobs/span.ts';
import { byMarket } from '../launch/specification/launch-spec.ts';
import type { FleetPool } from '../state/fleets/fleet-pool.ts';
import type { CallContext } from '../state/call-context.ts';
import type { FleetTarget } from '../state/fleets/fleet-target.ts';
import type { Instance } from '../state/instances/instance.ts';
import { AwsError } from '../wire/errors.ts';
import type { Params } from '../wire/form.ts';
import { recordChange } from './fleet-history.ts';
import { planRound } from './fleet-round.ts';
import { stateWord } from './fleet-words.ts';
import { planFleetCheck } from './health-checks.ts';
import { endAll, removeFleetMember, settleStopped } from './members.ts';
import {
  type ExcessPolicy,
  type FleetRequest,
  isStopped,
  type StandingFleet,
} from '../state/fleets/standing-fleet.ts';

/** Creates a fleet that becomes active after `start_ms` and then orders its machines. */
export function openFleet(context: CallContext, id: string, request: FleetRequest): StandingFleet {
  const { state, now, knobs, random } = context;
  const fleet: StandingFleet = {
    kind: request.kind,
    id,
    type: request.type,
    token: request.token,
    createdAt: now,
    request,
    controller: { id, onEnding: (instance, at) => machineEnds(state.contextAt(at), fleet, instance) },
    tags: request.tags,
    target: request.target,
    pools: request.pools,
    excess: request.excess,
    echo: request.echo,
    state: 'submitted',
    members: new Map(),
    departed: [],
    machines: new Set(),
    orders: new Set(),
    delivered: byMarket(() => 0),
    pauses: byMarket(() => ({ until: now, failures: 0 })),
    plannedRounds: new Set(),
    checking: false,
    closed: false,
    endsMachines: false,
    errors: byMarket(() => []),
    history: [],
  };
  state.fleets.set(id, fleet);
  recordChange(context, fleet, 'submitted');
  state.timers.plan(now + draw(knobs.fleets.start_ms, random), (then) => {
    if (fleet.state === 'submitted') activate(then, fleet, 'active');
  });
  planFleetCheck(context, fleet);
  const { validFrom, validUntil } = request;
  if (validFrom !== undefined && validFrom > now) planRound(context, fleet, validFrom);
  if (validUntil !== undefined) state.timers.plan(validUntil, (then) => expire(then, fleet));
  return fleet;
}

/** What ModifyFleet and ModifySpotFleetRequest change. */
export interface FleetChange {
  readonly target: FleetTarget;
  readonly excess: ExcessPolicy;
  /** The new pools; undefined = unchanged. */
  readonly pools: readonly FleetPool[] | undefined;
  readonly echo: Params;
}

/** Changes a fleet of type maintain. The change takes effect when the fleet is active again, after `modify_ms`. */
export function changeFleet(context: CallContext, fleet: StandingFleet, change: FleetChange): void {
  const { knobs, now, random } = context;
  fleet.target = change.target;
  fleet.excess = change.excess;
  fleet.pools = change.pools ?? fleet.pools;
  fleet.echo = change.echo;
  fleet.state = 'modifying';
  for (const market of ['on-demand', 'spot'] as const) fleet.pauses[market] = { until: now, failures: 0 };
  recordChange(context, fleet, 'modify_in_progress');
  // Only a stop can happen in between, because a fleet in the state `modifying` cannot be modified.
  context.state.timers.plan(now + draw(knobs.fleets.modify_ms, random), (then) => {
    if (fleet.state === 'modifying') activate(then, fleet, 'modify_succeeded');
  });
}

/** Throws if the fleet cannot be modified now. */
export function checkModifiable(context: CallContext, fleet: StandingFleet): void {
  const what = fleet.kind === 'ec2' ? `The fleet '${fleet.id}'` : `The Spot Fleet request '${fleet.id}'`;
  if (fleet.type !== 'maintain')
    throw new AwsError('UnsupportedOperation', `${what} is of type request and cannot be modified.`);
  if (fleet.state === 'submitted' || fleet.state === 'active') return;
  throw new AwsError(
    context.knobs.fleets.not_modifiable_code,
    `${what} is in the state ${stateWord(fleet)} and cannot be modified.`,
  );
}

/**
 * Stops a fleet that is not stopped yet, with or without its machines. Machines that it has already ordered still
 * start.
 */
export function stopFleet(context: CallContext, fleet: StandingFleet, withMachines: boolean): void {
  fleet.state = withMachines ? 'stopped_terminating' : 'stopped_running';
  fleet.closed = true;
  fleet.endsMachines = withMachines;
  recordChange(context, fleet, stateWord(fleet));
  if (withMachines) endAll(context, fleet);
  // A fleet without machines reaches its last state at once, but the answer of this call still shows the state
  // before.
  context.state.timers.plan(context.now, (then) => settleStopped(then, fleet));
}

function activate(context: CallContext, fleet: StandingFleet, event: 'active' | 'modify_succeeded'): void {
  fleet.state = 'active';
  recordChange(context, fleet, event);
  planRound(context, fleet, context.now);
}

function expire(context: CallContext, fleet: StandingFleet): void {
  if (isStopped(fleet)) return;
  fleet.closed = true;
  recordChange(context, fleet, 'expired');
  if (!fleet.request.endsWithExpiry) return;
  fleet.endsMachines = true;
  endAll(context, fleet);
}

/** Called when the end of a machine begins. The fleet notices the end later, unless it ended the machine itself. */
function machineEnds(context: CallContext, fleet: StandingFleet, instance: Instance): void {
  const { state, now, knobs, random } = context;
  state.timers.plan(instance.terminatedAt as number, (then) => {
    fleet.machines.delete(instance);
    settleStopped(then, fleet);
  });
  const member = fleet.members.get(instance);
  if (member === undefined) return;
  state.timers.plan(now + draw(knobs.fleets.notice_ms, random), (then) => {
    removeFleetMember(then, fleet, member, 'terminated');
    planRound(then, fleet, then.now);
  });
}
