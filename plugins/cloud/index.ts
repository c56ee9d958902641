import { definePlugin } from '../../core/index.ts';
import { cloud } from './cloud.ts';

export { usesReservationsFirst } from './template/capacity-reservation.ts';
export * from './catalogue/index.ts';
export { cloud } from './cloud.ts';
export { redactedReasons } from './faults/redacted.ts';
export { describeInstances, inTurn } from './observe/describe.ts';
export { kindOfCode, kindOfReason, reasonFor } from './faults/fault-codes.ts';
export type { CloudTemplate } from './template/fields.ts';
export { isComplete, machinesOfOrder } from './release/find.ts';
export * from './fleets/index.ts';
export { withImageId } from './template/image-parameter.ts';
export { isProfileMissing, launchFault, tokenSpent } from './faults/launch-faults.ts';
export { ownOrderTemplate, sharedOrderTemplate, standingParts, taggedParts } from './launch/order-template.ts';
export { dropLaunchTemplate, isTemplateMissing, type TemplateVersion } from './launch/launch-template.ts';
export { machineSpecOf } from './template/machine-data.ts';
export { machineParameters } from './template/machine-parameters.ts';
export { onePerZone, withLeftOut } from './launch/one-per-zone.ts';
export { pagesOf } from './connection/answers/pages.ts';
export { reportOf, type MachineData } from './observe/machines.ts';
export { contentsOf, namedTemplate } from './template/named-template.ts';
export { observeMachines } from './observe/observe.ts';
export { observeKnown } from './observe/observe-known.ts';
export { groupShape, machineShape } from './review/native/shapes.ts';
export { reviewForm } from './review/native/review-form.ts';
export { overlay } from './template/overlay.ts';
export {
  marketFacts,
  marketNames,
  marketOfLifecycle,
  marketsOfPrice,
  type Market,
} from './launch/markets.ts';
export {
  isWeighted,
  machineTypesOf,
  marketsOf,
  poolsOf,
  poolNamed,
  poolsOfMachine,
  matchingPools,
  weightOf,
  type Pool,
} from './launch/pools.ts';
export { reviewCommon } from './review/review.ts';
export { reviewOverridden } from './review/review-native.ts';
export { reviewRequirements } from './review/review-requirements.ts';
export type { CloudSession } from './connection/session.ts';
export { sessionField } from './connection/session-field.ts';
export {
  fleetIdTag,
  joinTagSpecifications,
  madeFor,
  ownTags,
  tagsOf,
  tagSpecifications,
  tagValue,
} from './template/tags.ts';
export { terminate } from './release/terminate.ts';

/** The provider type `cloud`. Plugins that add provider APIs to it declare `requires: ['cloud']`. */
export default definePlugin({ name: 'cloud', contract: 1, providers: [cloud] });
