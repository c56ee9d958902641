import type { FleetError, FleetLaunch } from '../state/fleets.ts';
import { escapeXml, itemSet, leaf } from './xml.ts';

/** `<errorSet>` and `<fleetInstanceSet>`, as CreateFleet and DescribeFleets show them for instant fleets. */
export function fleetOutcomeXml(launches: readonly FleetLaunch[], errors: readonly FleetError[]): string {
  return (
    itemSet(
      'errorSet',
      errors,
      (error) => error.poolXml + leaf('lifecycle', error.market) + leaf('errorCode', error.code) + leaf('errorMessage', error.message),
    ) +
    itemSet(
      'fleetInstanceSet',
      launches,
      (launch) =>
        launch.poolXml +
        leaf('lifecycle', launch.market) +
        itemSet('instanceIds', launch.instanceIds, escapeXml) +
        leaf('instanceType', launch.instanceType),
    )
  );
}
