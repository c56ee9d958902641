import { recentlyUsed } from '../../collections/recently-used.ts';
import type { Market } from '../market.ts';

/** What machines take of a budget. Whole numbers, so that sums are exact. */
export interface Reserved {
  readonly machines: number;
  /** Of the machines whose type is known. */
  readonly vcpus: number;
  /** Millionths of a US dollar for an hour, of the machines whose price is known. */
  readonly microusd: number;
  /** Machines whose number of vCPUs is not known. */
  readonly unsized: number;
  /** Machines whose price is not known. */
  readonly unpriced: number;
}

export const nothingReserved: Reserved = { machines: 0, vcpus: 0, microusd: 0, unsized: 0, unpriced: 0 };

/** What a request reserves at one place. */
export interface ReservedPart extends Reserved {
  /** Absent: for machines that are not ordered yet. */
  readonly provider_instance?: string;
  /** `any`: machines on the way that may come from several markets. Absent: as for the instance. */
  readonly market?: Market | 'any';
  /** All tags of the machines, where the place gives them other ones. Absent: those of the reservation. */
  readonly tags?: Tags;
}

/** Tags of machines, as a budget matches them. */
export type Tags = Readonly<Record<string, string>>;

/** Everything that a request reserves, with the usual tags of its machines. */
export interface Reservation {
  readonly tags: Tags;
  readonly parts: readonly ReservedPart[];
}

type StoredPart = readonly [string | null, string | null, number, number, number, number, number, Tags?];

/**
 * The value of the column `reserves`: equal texts are equal reservations. An object with `parts`, each an array of the
 * instance, the market, the machines, vCPUs, millionths of a dollar, unsized and unpriced machines, and its own tags
 * where it has some; and with `tags` where there are some.
 */
export function reservesText({ tags, parts }: Reservation): string {
  const stored = parts.map(
    ({
      provider_instance = null,
      market = null,
      machines,
      vcpus,
      microusd,
      unsized,
      unpriced,
      tags: own,
    }): StoredPart => [
      provider_instance,
      market,
      machines,
      vcpus,
      microusd,
      unsized,
      unpriced,
      ...(own === undefined ? ([] as const) : ([sortedTags(own)] as const)),
    ],
  );
  const usual = sortedTags(tags);
  return JSON.stringify({ parts: stored, ...(Object.keys(usual).length > 0 ? { tags: usual } : {}) });
}

// A request may have thousands of tags, and its reservation is derived with each of its commits.
const sorted = new WeakMap<Tags, Tags>();

/** Tags as they are stored: equal ones make equal texts. */
export function sortedTags(tags: Tags): Tags {
  let found = sorted.get(tags);
  if (!found) {
    found = Object.fromEntries(Object.entries(storableTags(tags)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    sorted.set(tags, found);
    sorted.set(found, found);
  }
  return found;
}

/**
 * Tags as budgets compare them. Storages that parse JSON refuse NUL and lone surrogates, which no cloud accepts in a
 * tag: U+FFFD stands for them.
 */
export const storableTags = (tags: Tags): Tags =>
  Object.fromEntries(Object.entries(tags).map(([name, value]) => [storable(name), storable(value)]));

const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

const nothing: Reservation = { tags: {}, parts: [] };

/** Many requests reserve the same: texts up to this length are parsed once. */
const maxLength = 2_000;
const parsed = recentlyUsed<Reservation>(500);

/** The reservation in a stored column. Absent: nothing is reserved. */
export function reservationOf(text: string | null | undefined): Reservation {
  if (text === null || text === undefined) return nothing;
  const known = parsed.get(text);
  if (known) return known;
  const reservation = parse(text);
  if (text.length <= maxLength) parsed.set(text, reservation);
  return reservation;
}

function parse(text: string): Reservation {
  const { parts, tags = {} } = JSON.parse(text) as {
    readonly parts: readonly StoredPart[];
    readonly tags?: Tags;
  };
  return {
    tags,
    parts: parts.map(([provider_instance, market, machines, vcpus, microusd, unsized, unpriced, own]) => ({
      ...(provider_instance === null ? {} : { provider_instance }),
      ...(market === null ? {} : { market: market as Market | 'any' }),
      machines,
      vcpus,
      microusd,
      unsized,
      unpriced,
      ...(own === undefined ? {} : { tags: own }),
    })),
  };
}

/** The sum of two. */
export const plus = (a: Reserved, b: Reserved): Reserved => ({
  machines: a.machines + b.machines,
  vcpus: a.vcpus + b.vcpus,
  microusd: a.microusd + b.microusd,
  unsized: a.unsized + b.unsized,
  unpriced: a.unpriced + b.unpriced,
});

/** The difference of two. */
export const minus = (a: Reserved, b: Reserved): Reserved => ({
  machines: a.machines - b.machines,
  vcpus: a.vcpus - b.vcpus,
  microusd: a.microusd - b.microusd,
  unsized: a.unsized - b.unsized,
  unpriced: a.unpriced - b.unpriced,
});
