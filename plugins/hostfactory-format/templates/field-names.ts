/** HostFactory's names of template fields, where camelCase of ours is not what it says. */
export const fieldNames: ReadonlyMap<string, string> = new Map([
  ['machine_type', 'vmType'],
  ['machine_types', 'vmTypes'],
  ['machine_types_priority', 'vmTypesPriority'],
  ['max_price', 'maxSpotPrice'],
  ['root_volume_size', 'rootDeviceVolumeSize'],
  ['instance_requirements', 'abisInstanceRequirements'],
]);

/**
 * What HostFactory files of any maker say where we say something else. The first name is the one that counts when a
 * file has several.
 */
export const readNames: readonly (readonly [theirs: string, ours: string])[] = [
  ['vmTypes', 'machine_types'],
  ['vmTypesPriority', 'machine_types_priority'],
  ['rootDeviceVolumeSize', 'root_volume_size'],
  ['maxSpotPrice', 'max_price'],
  ['abisInstanceRequirements', 'instance_requirements'],
  ['allocationStrategyOnDemand', 'allocation_strategy_on_demand'],
  ['allocationStrategy', 'allocation_strategy'],
  ['percentOnDemand', 'percent_on_demand'],
  ['priceType', 'price_type'],
  ['volumeType', 'volume_type'],
  ['fleetType', 'fleet_type'],
  ['fleetRole', 'fleet_role'],
  ['spotFleetRequestExpiry', 'spot_fleet_request_expiry'],
  ['instanceProfile', 'instance_profile'],
  ['launchTemplateId', 'launch_template_id'],
  ['launchTemplateVersion', 'launch_template_version'],
  ['userDataScript', 'user_data_script'],
  ['ec2FleetConfig', 'provider_api_spec_file'],
];

/** HostFactory's names that `rawTemplate` understands by itself. */
export const ours: ReadonlySet<string> = new Set([
  ...readNames.map(([theirs]) => theirs),
  'subnetId',
  'subnetIds',
  'securityGroupIds',
  'instanceTags',
  'maxNumber',
  'userData',
  'spotPrice',
  'requestValidity',
  'onDemandTargetCapacityRatio',
  'vmType',
]);
