import type { Market } from '../market.ts';
import {
  nothingReserved,
  plus,
  reservationOf,
  type Reservation,
  type Reserved,
  type ReservedPart,
  type Tags,
} from './reserved.ts';

/** The machines that a budget counts. All conditions must hold; none counts all machines. */
export interface BudgetScope {
  readonly template_id?: string;
  readonly provider_instance?: string;
  readonly market?: Market;
  /** The machines have each of these tags with this value. */
  readonly tags?: Readonly<Record<string, string>>;
}

// The scopes of configured budgets are asked for with each request.
const keys = new WeakMap<BudgetScope, string>();

/** What identifies a scope: equal scopes have equal keys, whatever the order of their tags. */
export function scopeKey(scope: BudgetScope): string {
  let key = keys.get(scope);
  if (key === undefined) keys.set(scope, (key = keyOf(scope)));
  return key;
}

function keyOf({ template_id, provider_instance, market, tags = {} }: BudgetScope): string {
  const sorted = Object.entries(tags).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([template_id ?? null, provider_instance ?? null, market ?? null, sorted]);
}

/** The scope of a key. */
export function scopeOfKey(key: string): BudgetScope {
  const [template_id, provider_instance, market, tags] = JSON.parse(key) as readonly [
    string | null,
    string | null,
    Market | null,
    readonly (readonly [string, string])[],
  ];
  return {
    ...(template_id === null ? {} : { template_id }),
    ...(provider_instance === null ? {} : { provider_instance }),
    ...(market === null ? {} : { market }),
    ...(tags.length === 0 ? {} : { tags: Object.fromEntries(tags) }),
  };
}

/** A request as far as a scope looks at it. `reserves`: the stored column. */
export interface Reserving {
  readonly template_id: string | null;
  readonly reserves?: string | null | undefined;
}

/** What a request reserves in a scope. */
export const reservedIn = (scope: BudgetScope, { template_id, reserves }: Reserving): Reserved =>
  partIn(scope, template_id, reservationOf(reserves));

/** As `reservedIn`, of a reservation that was read. */
export function partIn(scope: BudgetScope, template_id: string | null, reservation: Reservation): Reserved {
  let sum = nothingReserved;
  for (const part of partsIn(scope, template_id, reservation)) sum = plus(sum, part);
  return sum;
}

const none: readonly ReservedPart[] = [];

/** The parts of a reservation that a scope counts. */
export function partsIn(
  scope: BudgetScope,
  template_id: string | null,
  { tags, parts }: Reservation,
): readonly ReservedPart[] {
  if (scope.template_id !== undefined && scope.template_id !== template_id) return none;
  const isTagged = hasTags(scope, tags);
  const isAnywhere = scope.provider_instance === undefined && scope.market === undefined;
  if (isAnywhere && (scope.tags === undefined || parts.every((part) => part.tags === undefined)))
    return isTagged ? parts : none;
  return parts.filter((part) => (part.tags ? hasTags(scope, part.tags) : isTagged) && isAt(scope, part));
}

/** Whether machines with these tags have those of a scope. */
export function hasTags(scope: BudgetScope, tags: Tags): boolean {
  for (const name in scope.tags) if (tags[name] !== scope.tags[name]) return false;
  return true;
}

const isAt = (scope: BudgetScope, { provider_instance, market }: ReservedPart): boolean =>
  (scope.provider_instance === undefined || scope.provider_instance === provider_instance) &&
  (scope.market === undefined || market === 'any' || scope.market === market);
