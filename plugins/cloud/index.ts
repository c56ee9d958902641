import { definePlugin } from '../../core/index.ts';
import { cloud } from './cloud.ts';

export { usesReservationsFirst } from './capacity-reservation.ts';
export * from './catalogue/index.ts';
export { cloud } from './cloud.ts';
export { concealedReasons } from './concealed.ts';
export { CloudConfig, type CloudSettings } from './config.ts';
export { describeInstances, inTurn, type InstanceFilter } from './describe.ts';
export { kindOfCode, kindOfReason } from './fault-codes.ts';
export { faultOf, type FaultContext } from './faults.ts';
export { cloudFields, type CloudTemplate } from './fields.ts';
export { isComplete, seenMachines } from './find.ts';
export * from './fleets/index.ts';
export { withImageId } from './image-parameter.ts';
export { launchFault } from './launch-faults.ts';
export { dropLaunchTemplate, launchTemplateFor, type TemplateVersion } from './launch-template.ts';
export { intoInterface, machineSpecOf, type MachineSpec } from './machine-data.ts';
export { pagesOf } from './pages.ts';
export { marketOf, reportOf, type MachineData } from './machines.ts';
export { contentsOf, namedTemplate } from './named-template.ts';
export { observeMachines } from './observe.ts';
export { observeKnown } from './observe-known.ts';
export { fleetShape, groupShape, machineShape } from './native/shapes.ts';
export { reviewForm } from './native/review-form.ts';
export { overlay } from './overlay.ts';
export { machineTypesOf, marketsOf, poolsOf, poolsSeen, weightOf, type Market, type Pool } from './pools.ts';
export { reviewCommon } from './review.ts';
export { reviewOverruled } from './review-native.ts';
export { reviewRequirements } from './review-requirements.ts';
export type { CloudSession } from './session.ts';
export { joinTagSpecifications, madeFor, ownTags, tagsOf, tagSpecifications, tagValue } from './tags.ts';
export { terminate } from './terminate.ts';

/** The cloud itself; plugins that launch through it say `requires: ['cloud']`. */
export default definePlugin({ name: 'cloud', contract: 1, providers: [cloud] });
