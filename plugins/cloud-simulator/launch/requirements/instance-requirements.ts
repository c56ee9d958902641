import { zoneHas } from '../../capacity.ts';
import { type CatalogueInstanceType, instanceTypes } from '../../catalogue.ts';
import type { CallContext, RegionState } from '../../state/call-context.ts';
import { factsOf } from '../../type-facts.ts';
import type { Params } from '../../wire/form.ts';
import type { Market } from '../specification/launch-spec.ts';
import {
  type Presence,
  type PriceProtection,
  type Range,
  type Requirements,
  readRequirements,
} from './read-requirements.ts';

/** Conditions besides the attributes that select types. */
export interface TypeContext {
  /** Architecture of the image, which excludes types of other architectures. */
  readonly arch?: CatalogueInstanceType['arch'] | undefined;
  /** The unit of the fleet's target; prices are compared per vCPU, per MiB, or by default per machine. */
  readonly unit?: 'units' | 'vcpu' | 'memory-mib' | undefined;
}

/**
 * The instance types that attributes describe (`InstanceRequirements` in the names of CreateFleet, RequestSpotFleet
 * or Auto Scaling), in the order of the catalogue. Throws for requirements that AWS refuses. The list may be empty.
 */
export function typesFor(
  context: CallContext,
  requirements: Params,
  market: Market,
  { arch, unit = 'units' }: TypeContext = {},
): readonly CatalogueInstanceType[] {
  const wanted = readRequirements(requirements);
  const fitting = offeredTypes(context.state).filter(
    (type) =>
      (arch === undefined || type.arch === arch) &&
      (market === 'on-demand' || factsOf(type).spot) &&
      matchesRequirements(type, wanted),
  );
  return withoutOverpriced(fitting, wanted.price, market, unit);
}

const offered = new WeakMap<RegionState, readonly CatalogueInstanceType[]>();

/** The types that at least one zone of the region offers, in the order of the catalogue. */
export function offeredTypes(state: RegionState): readonly CatalogueInstanceType[] {
  const known = offered.get(state);
  if (known !== undefined) return known;
  const types = [...instanceTypes.values()].filter((type) =>
    state.network.zones.some((zone) => zoneHas(state, zone, type.instance_type)),
  );
  offered.set(state, types);
  return types;
}

/** Whether a type has the attributes, prices aside. */
export function matchesRequirements(type: CatalogueInstanceType, wanted: Requirements): boolean {
  const facts = factsOf(type);
  const { accelerator } = facts;
  return (
    within(wanted.vcpus, type.vcpus) &&
    within(wanted.memoryMib, type.memory_mib) &&
    within(wanted.memoryGibPerVcpu, type.memory_mib / 1024 / type.vcpus) &&
    oneOfThese(wanted.cpus, facts.cpu) &&
    oneOfThese(wanted.generations, facts.current ? 'current' : 'previous') &&
    (wanted.allowed.length === 0 || wanted.allowed.some((pattern) => pattern.test(type.instance_type))) &&
    !wanted.excluded.some((pattern) => pattern.test(type.instance_type)) &&
    present(wanted.bareMetal, facts.bareMetal) &&
    present(wanted.burstable, facts.burstable) &&
    present(wanted.localStorage, facts.localStorage !== undefined) &&
    // The kind of disk matters only for types that have disks.
    (facts.localStorage === undefined || oneOfThese(wanted.localStorageTypes, facts.localStorage)) &&
    within(wanted.accelerators, type.gpus) &&
    within(wanted.acceleratorMemoryMib, type.gpus * (accelerator?.memoryMib ?? 0)) &&
    oneOfThese(wanted.acceleratorTypes, accelerator?.kind) &&
    oneOfThese(wanted.acceleratorManufacturers, accelerator?.manufacturer) &&
    oneOfThese(wanted.acceleratorNames, accelerator?.name)
  );
}

const overLowestOnDemand = 20;
const overLowestSpot = 100;

/** Removes the types that cost too much compared with the cheapest reference type. */
function withoutOverpriced(
  types: readonly CatalogueInstanceType[],
  price: PriceProtection,
  market: Market,
  unit: NonNullable<TypeContext['unit']>,
): readonly CatalogueInstanceType[] {
  const count = (type: CatalogueInstanceType) =>
    unit === 'vcpu' ? type.vcpus : unit === 'memory-mib' ? type.memory_mib : 1;
  const onDemand = (type: CatalogueInstanceType) => type.on_demand_price / count(type);
  const spot = (type: CatalogueInstanceType) => type.spot_price / count(type);
  const cost = market === 'spot' ? spot : onDemand;
  const measure = market === 'spot' && price.spotOfOnDemand !== undefined ? onDemand : cost;
  const percent =
    market === 'on-demand'
      ? 100 + (price.onDemandOverLowest ?? overLowestOnDemand)
      : (price.spotOfOnDemand ?? 100 + (price.spotOverLowest ?? overLowestSpot));
  const most = (Math.min(...referenceTypes(types).map(measure)) * percent) / 100;
  return types.filter((type) => cost(type) <= most);
}

/**
 * The reference types of price protection: current C, M and R types; if there are none, current types; if there are
 * none, all types.
 */
function referenceTypes(types: readonly CatalogueInstanceType[]): readonly CatalogueInstanceType[] {
  const current = types.filter((type) => factsOf(type).current);
  const ordinary = current.filter((type) => /^[cmr]\d/.test(type.instance_type));
  return [ordinary, current, types].find((some) => some.length > 0) ?? [];
}

function within({ min, max }: Range, value: number): boolean {
  return min <= value && value <= max;
}

function present(wanted: Presence, has: boolean): boolean {
  return wanted === 'included' || (wanted === 'required') === has;
}

function oneOfThese(wanted: readonly string[], value: string | undefined): boolean {
  return wanted.length === 0 || (value !== undefined && wanted.includes(value));
}
