import type { Action } from '../../dispatch/action.ts';
import { endInstance } from '../../launch/end-instance.ts';
import { stateOf, userInitiated } from '../../state/instances/instance.ts';
import { isOut, unavailable } from '../../state/outages.ts';
import { AwsError, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { texts } from '../../wire/form.ts';
import { stateChangesXml } from '../../wire/xml/instance-xml.ts';
import { instancesById } from './instance-ids.ts';
import { endDryRun } from '../../dispatch/dry-run.ts';

const maxIds = 1000;

/**
 * Ends machines: all, or none if an id is unknown or a zone is out of service. If one machine of a zone is protected,
 * no machine of that zone ends. Ending a machine again succeeds.
 */
export const terminateInstances: Action = {
  name: 'TerminateInstances',
  mutating: true,
  resources: (params) => texts(params, 'InstanceId').length,
  handle(call) {
    const { now, knobs } = call;
    const ids = texts(call.params, 'InstanceId');
    if (ids.length === 0) throw missingParameter('InstanceId');
    if (ids.length > maxIds) throw invalidParameter(`You can terminate at most ${maxIds} instances in one call.`);
    const instances = instancesById(call, ids);

    const silent = instances.find((instance) => isOut(call, instance.zone));
    if (silent !== undefined) throw unavailable(silent.zone);

    endDryRun(call);
    const guarded = instances.filter(
      (instance) => instance.reservation.spec.guarded || knobs.protected.includes(instance.id),
    );
    const keptZones = new Set(guarded.map((instance) => instance.zone));
    const ended = instances
      .filter((instance) => !keptZones.has(instance.zone))
      .map((instance) => {
        const previous = stateOf(instance, now);
        endInstance(call, instance, userInitiated);
        call.touched.push(instance.id);
        return { id: instance.id, previous, current: stateOf(instance, now) };
      });
    if (guarded.length > 0) {
      throw new AwsError(
        'OperationNotPermitted',
        `The instance '${guarded[0]?.id}' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.`,
      );
    }
    return stateChangesXml(ended);
  },
};
