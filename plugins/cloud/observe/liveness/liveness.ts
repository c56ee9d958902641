import { isFault, type Call, type ProviderFault } from '../../../../core/index.ts';
import { inTurn, machinesPerPage } from '../describe.ts';
import { pagesOf } from '../../connection/answers/pages.ts';
import type { CloudSession } from '../../connection/session.ts';
import { sessionField } from '../../connection/session-field.ts';
import { countValidMs, knownAtRest } from './known-at-rest.ts';
import { mostRows, zonesToScan } from './zone-scan-cost.ts';

/**
 * The running machines of a zone; or the fault of the listing; or `too-many`, when far more machines than those of
 * muster run there.
 */
export type Running = ReadonlySet<string> | ProviderFault | 'too-many';

/**
 * Calls within this time are decided together: all provider APIs observe at the same time, and so do the parts of a
 * large observation.
 */
const gatherMs = 30;
/** How long a listing is valid. */
const listingValidMs = 5_000;

/** The last listing of a zone. */
interface Listing {
  readonly began: number;
  /** Undefined: its caller was aborted. */
  readonly running: Promise<Running | undefined>;
  /** The number of machines in the listing. */
  rows?: number;
}

interface Gathering {
  readonly ours: Map<string, number>;
  readonly toScan: Promise<ReadonlySet<string>>;
}

interface Liveness {
  readonly listings: Map<string, Listing>;
  gathering?: Gathering | undefined;
}

const livenessOf = sessionField((): Liveness => ({ listings: new Map() }));

/**
 * The running machines by zone, for those `zones` where listing all machines is cheaper than describing those of
 * muster; `ours` is their number by zone. DescribeInstanceStatus costs a fifth of DescribeInstances, and shows only
 * running machines. Calls within a few seconds share a listing. A failed listing is not kept, except one that is
 * refused permanently, which is not repeated for some time.
 */
export async function runningIn(
  session: CloudSession,
  zones: ReadonlySet<string>,
  ours: ReadonlyMap<string, number>,
  call: Call,
): Promise<ReadonlyMap<string, Running>> {
  const liveness = livenessOf(session);
  const gathering = gathered(session, liveness, ours);
  const toScan = await gathering.toScan;
  const asked = [...zones].filter((zone) => toScan.has(zone));
  const answers = await inTurn(asked, (zone) =>
    shared(session, liveness.listings, zone, mostRows(gathering.ours.get(zone) ?? 0), call),
  );
  return new Map(
    answers.map((answer, index) => {
      if (answer.status === 'rejected') throw answer.reason;
      return [asked[index] ?? '', answer.value];
    }),
  );
}

/** Joins the pending decision, or starts one. */
function gathered(session: CloudSession, liveness: Liveness, ours: ReadonlyMap<string, number>): Gathering {
  const gathering = (liveness.gathering ??= begin());
  for (const [zone, count] of ours) gathering.ours.set(zone, (gathering.ours.get(zone) ?? 0) + count);
  return gathering;

  function begin(): Gathering {
    const all = new Map<string, number>();
    const toScan = session.clock.sleep(gatherMs).then(() => {
      liveness.gathering = undefined;
      const least = knownAtRest(session);
      return zonesToScan(
        [...all].map(([zone, count]) => ({
          zone,
          ours: count,
          ...rowsOf(session, liveness.listings.get(zone), least.get(zone) ?? count),
        })),
      );
    });
    return { ours: all, toScan };
  }
}

/**
 * The number of machines in a zone, at least `least`, if it matters: a valid listing costs nothing, and the number of
 * an old one is not used.
 */
function rowsOf({ clock }: CloudSession, last: Listing | undefined, least: number): { readonly rows?: number } {
  const age = last === undefined ? Infinity : clock.monotonic() - last.began;
  if (age <= listingValidMs) return {};
  return { rows: last?.rows === undefined || age > countValidMs ? least : Math.max(least, last.rows) };
}

async function shared(
  session: CloudSession,
  listings: Map<string, Listing>,
  zone: string,
  most: number,
  call: Call,
): Promise<Running> {
  for (;;) {
    const last = listings.get(zone);
    if (last === undefined || session.clock.monotonic() - last.began > listingValidMs) break;
    const running = await last.running;
    if (running !== undefined) return running;
    if (listings.get(zone) === last) break;
  }
  const listing: Listing = { began: session.clock.monotonic(), running: list() };
  listings.set(zone, listing);
  return (await listing.running) ?? Promise.reject(call.signal.reason);

  async function list(): Promise<Running | undefined> {
    try {
      const found = await listed(session, zone, most, call);
      listing.rows = found.running.size;
      return found.whole ? found.running : 'too-many';
    } catch (error) {
      const refused =
        isFault(error) && (error.kind === 'credentials' || error.kind === 'invalid') && !call.signal.aborted;
      if (!refused && listings.get(zone) === listing) listings.delete(zone);
      // The abort of one caller is no answer for the others.
      if (call.signal.aborted) return undefined;
      if (!isFault(error)) throw error;
      if (error.kind === 'unavailable') return error;
      // The call is not allowed or was throttled: DescribeInstances has its own permission and its own rate limit.
      call.log.warn({ provider_instance: session.instance, code: error.code }, error.message);
      listing.rows = Infinity;
      return 'too-many';
    }
  }
}

async function listed(session: CloudSession, zone: string, most: number, call: Call) {
  const running = new Set<string>();
  const Filters = [{ Name: 'availability-zone', Values: [zone] }];
  for await (const page of pagesOf((next) =>
    session.read(
      (ec2) => new ec2.DescribeInstanceStatusCommand({ Filters, MaxResults: machinesPerPage, ...next }),
      call,
    ),
  )) {
    for (const { InstanceId, InstanceState } of page.InstanceStatuses ?? [])
      if (InstanceId && InstanceState?.Name === 'running') running.add(InstanceId);
    if (page.NextToken && running.size > most) return { running, whole: false };
  }
  return { running, whole: true };
}
