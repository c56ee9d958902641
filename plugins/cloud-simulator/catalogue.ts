import { type CatalogueInstanceType, instanceType as listedType } from '../cloud/catalogue/index.ts';

/**
 * The catalogue of the plugin `cloud`, imported from its data folder: the index of the plugin would load the whole
 * broker into the simulator's process.
 */
export {
  type CatalogueImage,
  type CatalogueInstanceType,
  type CatalogueRegion,
  type CatalogueSecurityGroup,
  type CatalogueZone,
  familyOf,
  instanceTypes,
  rateLimits,
  region as catalogueRegion,
  regions,
} from '../cloud/catalogue/index.ts';

/** The type that RunInstances launches if the call names none. It is too old for the catalogue's list. */
export const usualType: CatalogueInstanceType = {
  instance_type: 'm1.small',
  vcpus: 1,
  cores: 1,
  memory_mib: 1740,
  arch: 'x86_64',
  on_demand_price: 0.044,
  spot_price: 0.0044,
  gpus: 0,
};

/** The instance type of a name; undefined if the simulated cloud has no such type. */
export function instanceType(name: string): CatalogueInstanceType | undefined {
  return name === usualType.instance_type ? usualType : listedType(name);
}
