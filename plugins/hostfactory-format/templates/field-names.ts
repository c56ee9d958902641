/** HostFactory names of template fields that are not the camelCase form of the native name. */
export const fieldNames: ReadonlyMap<string, string> = new Map([
  ['machine_type', 'vmType'],
  ['machine_types', 'vmTypes'],
  ['machine_types_on_demand', 'vmTypesOnDemand'],
  ['machine_types_priority', 'vmTypesPriority'],
  ['max_price', 'maxSpotPrice'],
  ['root_volume_size', 'rootDeviceVolumeSize'],
  ['instance_requirements', 'abisInstanceRequirements'],
  ['placement_group', 'placementGroupName'],
]);

/**
 * HostFactory names in template files and their native names. When a file has several names for one field, the first
 * entry here takes precedence.
 */
export const readNames: readonly (readonly [hostFactoryName: string, field: string])[] = [
  ['vmTypes', 'machine_types'],
  ['vmTypesOnDemand', 'machine_types_on_demand'],
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
  ['placementGroupName', 'placement_group'],
  ['tenancy', 'tenancy'],
  ['interfaceType', 'interface_type'],
  ['userDataScript', 'user_data_script'],
  ['ec2FleetConfig', 'provider_api_spec_file'],
];

/** The HostFactory names that `rawTemplate` converts. */
export const hostFactoryNames: ReadonlySet<string> = new Set([
  ...readNames.map(([name]) => name),
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
  'poolsCount',
  'ebsOptimized',
  'efaCount',
  'ttl',
]);
