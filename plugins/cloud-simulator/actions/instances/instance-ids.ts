import type { ActionCall } from '../../dispatch/action.ts';
import { draw } from '../../knobs/span.ts';
import type { CallContext } from '../../state/call-context.ts';
import type { Instance } from '../../state/instances/instance.ts';
import { AwsError } from '../../wire/errors.ts';

/** How a call selects machines. */
export type LookupKind = 'id' | 'filter' | 'tag';

/**
 * The machines of the ids, without duplicates, in order. One malformed, unknown or invisible id refuses the whole
 * call. Reading calls pass `isSeen` as `sees`.
 */
export function instancesById(
  call: ActionCall,
  ids: readonly string[],
  sees: (context: CallContext, instance: Instance, way: LookupKind) => boolean = isVisible,
): Instance[] {
  const malformed = ids.find((id) => !/^i-([0-9a-f]{8}|[0-9a-f]{17})$/.test(id));
  if (malformed !== undefined) throw new AwsError('InvalidInstanceID.Malformed', `Invalid id: "${malformed}"`);
  const distinct = [...new Set(ids)];
  const missing = distinct.filter((id) => {
    const instance = call.state.instances.get(id);
    return instance === undefined || !sees(call, instance, 'id');
  });
  if (missing.length === 1) throw notFound(`The instance ID '${missing[0]}' does not exist`);
  if (missing.length > 1) throw notFound(`The instance IDs '${missing.join(', ')}' do not exist`);
  return distinct.map((id) => call.state.instances.get(id) as Instance);
}

/** Whether a machine is old enough to be visible to this kind of lookup. */
export function isVisible(context: CallContext, instance: Instance, way: LookupKind): boolean {
  return context.now - instance.launchedAt >= context.knobs.visible_ms[way];
}

/**
 * Whether a reading call finds a machine. A young machine may be missed at random, so evaluate this once for each
 * machine and call.
 */
export function isSeen(context: CallContext, instance: Instance, way: LookupKind): boolean {
  if (!isVisible(context, instance, way)) return false;
  const { share, until_ms: until } = context.knobs.flapping;
  return share === 0 || context.now - instance.launchedAt >= until || context.random.next() >= share;
}

/** The call as of the time whose states its answer shows; see the knob `state_lag_ms`. */
export function lagging(call: ActionCall): ActionCall {
  const lag = draw(call.knobs.state_lag_ms, call.random);
  return lag === 0 ? call : { ...call, now: call.now - lag };
}

/** The error for a machine that cannot be stopped or started in its present state. */
export function wrongState({ id }: Instance, done: 'started' | 'stopped'): AwsError {
  return new AwsError(
    'IncorrectInstanceState',
    `The instance '${id}' is not in a state from which it can be ${done}.`,
  );
}

function notFound(message: string): AwsError {
  return new AwsError('InvalidInstanceID.NotFound', message);
}
