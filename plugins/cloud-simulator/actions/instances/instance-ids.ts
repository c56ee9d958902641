import type { ActionCall } from '../../action.ts';
import type { Instance } from '../../state/instance.ts';
import { AwsError } from '../../wire/errors.ts';

/** The machines of ids that a call names, each once, in order. One malformed or unknown id refuses the whole call, and so does one that is too young to be seen. */
export function instancesById(call: ActionCall, ids: readonly string[]): Instance[] {
  const malformed = ids.find((id) => !/^i-([0-9a-f]{8}|[0-9a-f]{17})$/.test(id));
  if (malformed !== undefined) throw new AwsError('InvalidInstanceID.Malformed', `Invalid id: "${malformed}"`);
  const distinct = [...new Set(ids)];
  const missing = distinct.filter((id) => {
    const instance = call.state.instances.get(id);
    return instance === undefined || !isVisible(call, instance, 'id');
  });
  if (missing.length === 1) throw notFound(`The instance ID '${missing[0]}' does not exist`);
  if (missing.length > 1) throw notFound(`The instance IDs '${missing.join(', ')}' do not exist`);
  return distinct.map((id) => call.state.instances.get(id) as Instance);
}

/** Whether a machine is old enough to be seen by this way of looking. */
export function isVisible(call: ActionCall, instance: Instance, way: 'id' | 'filter' | 'tag'): boolean {
  return call.now - instance.launchedAt >= call.knobs.visible_ms[way];
}

function notFound(message: string): AwsError {
  return new AwsError('InvalidInstanceID.NotFound', message);
}
