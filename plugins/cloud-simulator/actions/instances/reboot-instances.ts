import type { Action } from '../../dispatch/action.ts';
import { endDryRun } from '../../dispatch/dry-run.ts';
import { stateOf } from '../../state/instances/instance.ts';
import { AwsError, missingParameter } from '../../wire/errors.ts';
import { texts } from '../../wire/form.ts';
import { leaf } from '../../wire/xml/xml.ts';
import { instancesById } from './instance-ids.ts';

/** Reboots running machines, whose state stays `running`. Terminated machines are ignored. */
export const rebootInstances: Action = {
  name: 'RebootInstances',
  mutating: true,
  handle(call) {
    const ids = texts(call.params, 'InstanceId');
    if (ids.length === 0) throw missingParameter('InstanceId');
    const instances = instancesById(call, ids).filter((one) => stateOf(one, call.now) !== 'terminated');
    const still = instances.find((instance) => stateOf(instance, call.now) !== 'running');
    if (still !== undefined)
      throw new AwsError('IncorrectState', `The instance '${still.id}' is not in the 'running' state.`);
    endDryRun(call);
    call.touched.push(...instances.map(({ id }) => id));
    return leaf('return', true);
  },
};
