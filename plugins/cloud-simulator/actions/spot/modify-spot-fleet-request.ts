import type { Action } from '../../dispatch/action.ts';
import { checkModifiable, changeFleet } from '../../fleets/fleet-life.ts';
import { checkFleetQuotas } from '../../fleets/fleet-quotas.ts';
import { checkUnits } from '../../launch/fleets/fleet-pools.ts';
import { readChangedSpotTarget, readSpotExcess } from '../../launch/fleets/spot-fleet-request.ts';
import { AwsError } from '../../wire/errors.ts';
import { part } from '../../wire/form.ts';
import { required } from '../../wire/values.ts';
import { leaf } from '../../wire/xml/xml.ts';
import { spotFleetById } from '../fleets/fleet-ids.ts';
import { readNewPools } from '../fleets/modify-fleet.ts';
import { endDryRun } from '../../dispatch/dry-run.ts';

/** Changes the target, the excess policy or the templates of a Spot fleet of type maintain. */
export const modifySpotFleetRequest: Action = {
  name: 'ModifySpotFleetRequest',
  mutating: true,
  handle(call) {
    const fleet = spotFleetById(call, required(call.params, 'SpotFleetRequestId'));
    checkModifiable(call, fleet);
    const target = readChangedSpotTarget(call.params, fleet.target);
    const pools = readNewPools(call, fleet);
    const onTemplates = (pools ?? fleet.pools).every((pool) => pool.template !== undefined);
    if (target.onDemand > 0 && !onTemplates)
      throw new AwsError('InvalidSpotFleetRequestConfig', 'OnDemandTargetCapacity needs LaunchTemplateConfigs.');
    checkUnits(target, pools ?? fleet.pools);
    endDryRun(call);
    checkFleetQuotas(call, 'spot', target, fleet);
    const { LaunchSpecifications: _replaced, ...kept } = fleet.echo;
    const configs = part(call.params, 'LaunchTemplateConfig');
    const echo = configs === undefined ? fleet.echo : { ...kept, LaunchTemplateConfigs: configs };
    changeFleet(call, fleet, { target, excess: readSpotExcess(call.params), pools, echo });
    call.touched.push(fleet.id);
    return leaf('return', true);
  },
};
