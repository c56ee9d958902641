/**
 * What the simulated cloud offers, as the plugin `cloud` knows it. Taken from its data folder alone: its index would
 * bring the whole broker into the simulator's process. /
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
