/** What the simulated cloud offers, as the plugin `cloud` knows it. */
export {
  type CatalogueImage,
  type CatalogueInstanceType,
  type CatalogueRegion,
  type CatalogueSecurityGroup,
  type CatalogueZone,
  familyOf,
  instanceType,
  instanceTypes,
  region as catalogueRegion,
  regions,
} from '../cloud/index.ts';
