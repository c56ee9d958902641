import type { Action } from '../../action.ts';
import { endInstance } from '../../launch/start-instances.ts';
import { stateOf } from '../../state/instance.ts';
import { AwsError, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { texts } from '../../wire/form.ts';
import { stateXml } from '../../wire/instance-xml.ts';
import { itemSet, leaf } from '../../wire/xml.ts';
import { instancesById } from './instance-ids.ts';

const maxIds = 1000;

/** Ends machines: all or, if one id is unknown, none. A protected machine keeps all of its zone alive. Ending twice is a success. */
export const terminateInstances: Action = {
  name: 'TerminateInstances',
  mutating: true,
  resources: (params) => texts(params, 'InstanceId').length,
  handle(call) {
    const { now } = call;
    const ids = texts(call.params, 'InstanceId');
    if (ids.length === 0) throw missingParameter('InstanceId');
    if (ids.length > maxIds) throw invalidParameter(`You can terminate at most ${maxIds} instances in one call.`);
    const instances = instancesById(call, ids);

    const guarded = instances.filter((instance) => instance.reservation.spec.guarded);
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
    return itemSet(
      'instancesSet',
      ended,
      (one) => leaf('instanceId', one.id) + stateXml('currentState', one.current) + stateXml('previousState', one.previous),
    );
  },
};

/** The state reason of machines that a caller ended. */
export const userInitiated = { code: 'Client.UserInitiatedShutdown', message: 'Client.UserInitiatedShutdown: User initiated shutdown' };
