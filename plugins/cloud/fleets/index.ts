export { disposeFleet } from './dispose-fleet.ts';
export { findFleet } from './find-fleet.ts';
export {
  isStanding,
  standingTypes,
  type FleetPort,
  type FleetView,
  type StandingHandle,
  type StandingPrepared,
} from './fleet-port.ts';
export { launchFleet, withDates } from './launch-fleet.ts';
export { observeFleets } from './observe-fleets.ts';
export { configsWith, nativeUnit, overridesOf, weightsIn } from './overrides.ts';
export { explainsAll, shortfallOf } from './reasons.ts';
export { ownedFleets, removeFleets } from './owned-fleets.ts';
export { releaseFleet } from './release-fleet.ts';
export { reviewChoice } from './review/review-choice.ts';
export { reviewFleet } from './review/review-fleet.ts';
export { camelCased, onlyStrategyOf, poolsCountOf, strategiesOf, strategyFinder } from './strategies.ts';
export { planFor, targetOf, targetWith, type Target } from './targets.ts';
