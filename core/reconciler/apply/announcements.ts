import type { Notice } from '../../contract/notice.ts';
import type { Announcement, MachineRecord } from '../../model/machine.ts';
import { isAlive, isAnnouncedEnd, isEnding } from '../state/machine-life.ts';

/** How long after an announced reclaim the machine may still live without doubt about the notice. */
const graceMs = 300_000;
/** Planned work counts as a reclaim from so long before it on; observations report it then, too. */
const plannedMs = 3_600_000;
/** Times of one reclaim that differ by less are equal: notices have whole seconds. */
const sameMs = 60_000;
/** A reclaim whose time differs from the one that was told by less is not told again. */
const toldMs = 300_000;
/** The most planned works that a machine keeps. */
const mostPlanned = 8;

/** The sources of announcements that a machine has once. All others are planned works. */
const observed = 'observation';
const warned = 'warning';
const recommended = 'recommendation';
const planned = 'planned';

type Announcements = NonNullable<MachineRecord['announced']>;
/** The announcements about a machine, and what follows from them. An absent field is removed. */
export type Announced = Pick<MachineRecord, 'announced' | 'reclaim_at' | 'rebalance_at' | 'message'>;

/** The reclaim that counts, and its source. */
interface Reclaim {
  readonly source: string;
  readonly reclaim_at: string;
  readonly message?: string;
}

/** The source of a notice. Each source withdraws and replaces only what it announced itself. */
const sourceOf = (notice: Notice): string => {
  if (notice.kind === 'reclaim') return warned;
  if (notice.kind === 'rebalance') return recommended;
  return notice.kind === 'scheduled' && notice.event_id !== undefined ? `${planned} ${notice.event_id}` : planned;
};

/**
 * Whether a notice tells something new about a machine. Not new: a repeat, a state other than an unexpected end, an
 * older announcement of the same source, a warning whose time is long past or later than that of a standing one.
 */
export function isNews(notice: Notice, machine: MachineRecord, now: number): boolean {
  if (!isAlive(machine)) return false;
  if (notice.kind === 'state') return isAnnouncedEnd(notice.status, machine);
  const next = announcementOf(notice);
  const known = machine.announced?.[sourceOf(notice)];
  switch (notice.kind) {
    case 'reclaim':
      return isAhead(next, now) && (!known || !isAhead(known, now) || order(next, known, 'reclaim_at') < 0);
    case 'rebalance':
      return !known || order(next, known, 'at') < 0;
    case 'scheduled':
      return !known || orderOfPlans(next, known) > 0;
  }
}

/** The fields of the machine after a notice that is news, other than one of a state. */
export function withNotice(
  machine: MachineRecord,
  notice: Exclude<Notice, { readonly kind: 'state' }>,
  now: number,
): Announced {
  return derived(machine, bounded({ ...machine.announced, [sourceOf(notice)]: announcementOf(notice) }), now);
}

/** The fields of the machine after an observation; see `reclaim_at` of MachineReport. */
export function withObservation(
  machine: MachineRecord,
  reclaim_at: string | null | undefined,
  now: number,
): Announced {
  const { [observed]: before, ...others } = machine.announced ?? {};
  if (typeof reclaim_at === 'string') return derived(machine, { ...others, [observed]: { reclaim_at } }, now);
  return derived(machine, reclaim_at === null || !before ? others : { ...others, [observed]: before }, now);
}

/**
 * Whether the journal told this reclaim already, by whichever source. Its time is converted from the clock of the
 * cloud: when one of the two clocks is set, every later report of the same reclaim has another time.
 */
export const isTold = ({ reclaim_told }: MachineRecord, reclaim_at: string): boolean =>
  reclaim_told !== undefined && Math.abs(Date.parse(reclaim_told) - Date.parse(reclaim_at)) < toldMs;

/** What the source of a notice did: it announced a reclaim, or one with another time, or withdrew its own. */
export function changeOf(before: MachineRecord, after: MachineRecord, notice: Notice, now: number) {
  const source = sourceOf(notice);
  const [was, is] = [before, after].map(({ announced }) =>
    standingIn(announced, now).find((each) => each.source === source),
  );
  if (!is) return was ? 'withdrawn' : undefined;
  return was && isSame(was, is) ? undefined : 'announced';
}

/** Computes what follows from the announcements, so that their order does not matter. */
function derived(machine: MachineRecord, announced: Announcements, now: number): Announced {
  const reclaim = reclaimIn(announced, now);
  const message = messageOf(machine, announced, reclaim);
  const rebalance_at = announced[recommended]?.at;
  return {
    ...(Object.keys(announced).length === 0 ? {} : { announced: sorted(announced) }),
    ...(reclaim === undefined ? {} : { reclaim_at: reclaim.reclaim_at }),
    ...(rebalance_at === undefined ? {} : { rebalance_at }),
    ...(message === undefined ? {} : { message }),
  };
}

/** A message that came from an announcement ends with it. The reason of an end stays. */
function messageOf(
  machine: MachineRecord,
  announced: Announcements,
  reclaim: Reclaim | undefined,
): string | undefined {
  if (isEnding(machine.status)) return machine.message;
  const message = reclaim?.message ?? announced[recommended]?.message;
  if (message !== undefined) return message;
  const isAnnounced = Object.values(machine.announced ?? {}).some((each) => each.message === machine.message);
  return isAnnounced ? undefined : machine.message;
}

/** The earliest reclaim that is announced. An observed one that is the same as a noticed one has its time. */
function reclaimIn(announced: Announcements | undefined, now: number): Reclaim | undefined {
  const standing = standingIn(announced, now);
  const [noticed] = standing.filter(({ source }) => source !== observed).toSorted(byTime);
  const seen = standing.find(({ source }) => source === observed);
  if (!noticed || !seen) return noticed ?? seen;
  return isSame(noticed, seen) || Date.parse(noticed.reclaim_at) < Date.parse(seen.reclaim_at) ? noticed : seen;
}

/** The reclaims that count now, at most one of each source. */
const standingIn = (announced: Announcements = {}, now: number): readonly Reclaim[] =>
  Object.entries(announced).flatMap(([source, each]): Reclaim[] => {
    const { reclaim_at, message } = each;
    if (typeof reclaim_at !== 'string' || !counts(source, each, now)) return [];
    return [{ source, reclaim_at, ...(message === undefined ? {} : { message }) }];
  });

/** The next observation withdraws an observed reclaim; a notice ends by itself. */
function counts(source: string, announcement: Announcement, now: number): boolean {
  if (source === observed) return true;
  return isAhead(announcement, now) && (source === warned || msUntil(announcement, now) <= plannedMs);
}

const isAhead = (announcement: Announcement, now: number): boolean => msUntil(announcement, now) > -graceMs;

const msUntil = ({ reclaim_at }: Announcement, now: number): number => Date.parse(reclaim_at ?? '') - now;

const isSame = (a: Reclaim, b: Reclaim): boolean =>
  Math.abs(Date.parse(a.reclaim_at) - Date.parse(b.reclaim_at)) < sameMs;

const byTime = (a: Reclaim, b: Reclaim): number =>
  Date.parse(a.reclaim_at) - Date.parse(b.reclaim_at) || compare(a.source, b.source);

function announcementOf(notice: Notice): Announcement {
  const { at, message } = notice;
  return {
    at,
    ...('reclaim_at' in notice ? { reclaim_at: notice.reclaim_at } : {}),
    ...(message === undefined ? {} : { message }),
  };
}

/** A total order of announcements by a time, so that of two with the same time always the same one counts. */
const order = (a: Announcement, b: Announcement, field: 'at' | 'reclaim_at'): number =>
  Date.parse(a[field] ?? '') - Date.parse(b[field] ?? '') || compare(JSON.stringify(a), JSON.stringify(b));

/** The last announcement of a plan counts; of several at the same time the withdrawal, and then the earliest. */
function orderOfPlans(a: Announcement, b: Announcement): number {
  const times = Date.parse(a.at ?? '') - Date.parse(b.at ?? '');
  if (times !== 0) return times;
  if (a.reclaim_at === null || b.reclaim_at === null) {
    const withdrawn = Number(a.reclaim_at === null) - Number(b.reclaim_at === null);
    return withdrawn || compare(JSON.stringify(a), JSON.stringify(b));
  }
  return -order(a, b, 'reclaim_at');
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Forgets the planned works that were announced first. */
function bounded(announced: Announcements): Announcements {
  const works = Object.entries(announced).filter(([source]) => source.startsWith(planned));
  if (works.length <= mostPlanned) return announced;
  const [oldest] = works.toSorted(
    ([a, x], [b, y]) => Date.parse(x.at ?? '') - Date.parse(y.at ?? '') || compare(a, b),
  );
  return Object.fromEntries(Object.entries(announced).filter(([source]) => source !== oldest?.[0]));
}

const sorted = (announced: Announcements): Announcements =>
  Object.fromEntries(Object.entries(announced).toSorted(([a], [b]) => compare(a, b)));
