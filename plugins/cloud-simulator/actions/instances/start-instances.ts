import type { Action } from '../../dispatch/action.ts';
import { endDryRun } from '../../dispatch/dry-run.ts';
import { startRefusal, startStopped } from '../../launch/stop-instance.ts';
import { stateOf } from '../../state/instances/instance.ts';
import { missingParameter } from '../../wire/errors.ts';
import { texts } from '../../wire/form.ts';
import { stateChangesXml } from '../../wire/xml/instance-xml.ts';
import { instancesById, wrongState } from './instance-ids.ts';

/**
 * Starts stopped machines, which need capacity and quota again. Machines that start before another one finds no
 * capacity stay started. Starting a running machine succeeds.
 */
export const startStoppedInstances: Action = {
  name: 'StartInstances',
  mutating: true,
  resources: (params) => texts(params, 'InstanceId').length,
  handle(call) {
    const { now } = call;
    const ids = texts(call.params, 'InstanceId');
    if (ids.length === 0) throw missingParameter('InstanceId');
    const instances = instancesById(call, ids);
    for (const instance of instances) {
      const state = stateOf(instance, now);
      if (state !== 'stopped' && state !== 'pending' && state !== 'running') throw wrongState(instance, 'started');
    }
    endDryRun(call);
    const changes = instances.map((instance) => {
      const previous = stateOf(instance, now);
      if (previous === 'stopped') {
        const refusal = startRefusal(call, instance);
        if (refusal !== undefined) throw refusal;
        startStopped(call, instance);
        call.touched.push(instance.id);
      }
      return { id: instance.id, previous, current: stateOf(instance, now) };
    });
    return stateChangesXml(changes);
  },
};
