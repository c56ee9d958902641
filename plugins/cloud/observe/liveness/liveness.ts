import { isFault, type Call, type ProviderFault } from '../../../../core/index.ts';
import { inTurn, machinesPerPage } from '../describe.ts';
import { pagesOf } from '../../connection/answers/pages.ts';
import type { CloudSession } from '../../connection/session.ts';
import { sessionField } from '../../connection/session-field.ts';
import { mostRows, zonesToScan } from './zone-scan-cost.ts';

/**
 * The machines that run in a zone; or why that is not known; or that they are not to be listed, because far more run
 * there than are ours.
 */
export type Running = ReadonlySet<string> | ProviderFault | 'crowded';

/**
 * Calls within this time decide together: the looks of all APIs fall on the same moment, and so do the parts of a
 * large one.
 */
const gatherMs = 30;
/** A listing that began so long ago still tells what runs now. */
const freshMs = 5_000;
/** So long it is believed how many machines run in a zone. */
const countedMs = 600_000;

/** The last listing of a zone. */
interface Listing {
  readonly began: number;
  /** Undefined: its maker gave it up. */
  readonly running: Promise<Running | undefined>;
  /** How many it showed. */
  rows?: number;
}

interface Gathering {
  readonly ours: Map<string, number>;
  readonly toScan: Promise<ReadonlySet<string>>;
}

interface Liveness {
  /** By zone. */
  readonly listings: Map<string, Listing>;
  gathering?: Gathering | undefined;
}

const livenessOf = sessionField((): Liveness => ({ listings: new Map() }));

/**
 * Which machines run, by zone, of those `zones` where it is cheaper to list all than to describe ours; `ours` counts
 * them by zone. DescribeInstanceStatus weighs a fifth of DescribeInstances, and shows running machines only. Calls
 * within a few seconds share a listing; one that failed is not kept, but where it is refused for good it is not tried
 * again for a while. /
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

/** Joins the decision that is being made, or begins one. */
function gathered(session: CloudSession, liveness: Liveness, ours: ReadonlyMap<string, number>): Gathering {
  const gathering = (liveness.gathering ??= begin());
  for (const [zone, count] of ours) gathering.ours.set(zone, (gathering.ours.get(zone) ?? 0) + count);
  return gathering;

  function begin(): Gathering {
    const all = new Map<string, number>();
    const toScan = session.clock.sleep(gatherMs).then(() => {
      liveness.gathering = undefined;
      return zonesToScan(
        [...all].map(([zone, count]) => ({ zone, ours: count, ...rowsOf(session, liveness.listings.get(zone)) })),
      );
    });
    return { ours: all, toScan };
  }
}

/**
 * How many run in a zone, as far as that matters: a listing that is there already costs nothing, and an old one is no
 * measure any more.
 */
function rowsOf({ clock }: CloudSession, last: Listing | undefined): { readonly rows?: number } {
  const age = last === undefined ? Infinity : clock.monotonic() - last.began;
  return last?.rows === undefined || age <= freshMs || age > countedMs ? {} : { rows: last.rows };
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
    if (last === undefined || session.clock.monotonic() - last.began > freshMs) break;
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
      return found.whole ? found.running : 'crowded';
    } catch (error) {
      const refused =
        isFault(error) && (error.kind === 'credentials' || error.kind === 'invalid') && !call.signal.aborted;
      if (!refused && listings.get(zone) === listing) listings.delete(zone);
      // Its maker's own end is no answer for the others.
      if (call.signal.aborted) return undefined;
      if (!isFault(error)) throw error;
      if (error.kind === 'unavailable') return error;
      // Not allowed, or asked too often: to describe is another action with rights and a rate of its own.
      call.log.warn({ provider_instance: session.instance, code: error.code }, error.message);
      listing.rows = Infinity;
      return 'crowded';
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
