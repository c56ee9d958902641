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
  instanceType,
  instanceTypes,
  rateLimits,
  region as catalogueRegion,
  regions,
} from '../cloud/catalogue/index.ts';
