import type { Action } from '../../dispatch/action.ts';
import { endDryRun } from '../../dispatch/dry-run.ts';
import { stopInstance } from '../../launch/stop-instance.ts';
import { type Instance, stateOf } from '../../state/instances/instance.ts';
import { isOut, unavailable } from '../../state/outages.ts';
import { AwsError, missingParameter } from '../../wire/errors.ts';
import { texts } from '../../wire/form.ts';
import { flag } from '../../wire/values.ts';
import { stateChangesXml } from '../../wire/xml/instance-xml.ts';
import { instancesById, wrongState } from './instance-ids.ts';

/** Stops machines: all, or none if one cannot be stopped. Stopping a stopped machine again succeeds. */
export const stopInstances: Action = {
  name: 'StopInstances',
  mutating: true,
  resources: (params) => texts(params, 'InstanceId').length,
  handle(call) {
    const { now } = call;
    const ids = texts(call.params, 'InstanceId');
    if (ids.length === 0) throw missingParameter('InstanceId');
    const hibernate = flag(call.params, 'Hibernate') ?? false;
    const instances = instancesById(call, ids);
    const silent = instances.find((instance) => isOut(call, instance.zone));
    if (silent !== undefined) throw unavailable(silent.zone);
    for (const instance of instances) {
      const state = stateOf(instance, now);
      if (state !== 'running' && state !== 'stopping' && state !== 'stopped') throw wrongState(instance, 'stopped');
      checkStoppable(instance, hibernate);
    }
    endDryRun(call);
    const changes = instances.map((instance) => {
      const previous = stateOf(instance, now);
      if (previous === 'running') {
        stopInstance(call, instance);
        call.touched.push(instance.id);
      }
      return { id: instance.id, previous, current: stateOf(instance, now) };
    });
    return stateChangesXml(changes);
  },
};

function checkStoppable({ id, reservation: { spec } }: Instance, hibernate: boolean): void {
  if (spec.market === 'spot')
    throw new AwsError(
      'UnsupportedOperation',
      `You can't stop the Spot Instance '${id}' because it is associated with a one-time Spot Instance request.`,
    );
  if (spec.options.stopGuarded)
    throw new AwsError(
      'OperationNotPermitted',
      `The instance '${id}' may not be stopped. Modify its 'disableApiStop' instance attribute and try again.`,
    );
  if (hibernate && !spec.options.hibernation)
    throw new AwsError(
      'UnsupportedHibernationConfiguration',
      `The instance '${id}' was not launched with hibernation enabled.`,
    );
}
