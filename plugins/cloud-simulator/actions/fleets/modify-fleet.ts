import type { Action, ActionCall } from '../../dispatch/action.ts';
import { checkModifiable, changeFleet } from '../../fleets/fleet-life.ts';
import { checkFleetQuotas } from '../../fleets/fleet-quotas.ts';
import type { StandingFleet } from '../../state/fleets/standing-fleet.ts';
import { checkUnits, readTemplatePools } from '../../launch/fleets/fleet-pools.ts';
import type { FleetPool } from '../../state/fleets/fleet-pool.ts';
import { readChangedTarget } from '../../launch/fleets/fleet-request.ts';
import { readExcess } from '../../launch/fleets/standing-fleet-request.ts';
import { AwsError } from '../../wire/errors.ts';
import { part, parts } from '../../wire/form.ts';
import { required } from '../../wire/values.ts';
import { leaf } from '../../wire/xml/xml.ts';
import { fleetById } from './fleet-ids.ts';
import { endDryRun } from '../../dispatch/dry-run.ts';

/**
 * Changes the target, the excess policy or the pools of a fleet of type maintain. If the call names no excess policy,
 * the fleet ends excess machines.
 */
export const modifyFleet: Action = {
  name: 'ModifyFleet',
  mutating: true,
  handle(call) {
    const fleet = fleetById(call, required(call.params, 'FleetId'));
    if (fleet.type === 'instant')
      throw new AwsError('UnsupportedOperation', `The fleet '${fleet.id}' is of type instant and cannot be modified.`);
    checkModifiable(call, fleet);
    const target = readChangedTarget(call.params, fleet.target, call.knobs.fleets.lower_total);
    const pools = readNewPools(call, fleet);
    checkUnits(target, pools ?? fleet.pools);
    endDryRun(call);
    checkFleetQuotas(call, 'ec2', target, fleet);
    const configs = part(call.params, 'LaunchTemplateConfig');
    const echo = configs === undefined ? fleet.echo : { ...fleet.echo, LaunchTemplateConfigs: configs };
    changeFleet(call, fleet, { target, excess: readExcess(call.params), pools, echo });
    call.touched.push(fleet.id);
    return leaf('return', true);
  },
};

/**
 * Reads the pools of a change, which replace all pools of the fleet. Unlike in CreateFleet, the parameter name is in
 * the singular.
 */
export function readNewPools(call: ActionCall, fleet: StandingFleet): FleetPool[] | undefined {
  const configs = parts(call.params, 'LaunchTemplateConfig');
  return configs.length === 0
    ? undefined
    : readTemplatePools(call, configs, { instant: false, maxPrice: fleet.request.maxPrice });
}
