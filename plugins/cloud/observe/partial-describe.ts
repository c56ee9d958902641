import { isFault, type Call, type ProviderFault } from '../../../core/index.ts';
import { instancePages, type InstanceFilter } from './describe.ts';
import type { InstanceSummary } from '../connection/answers/instance-summary.ts';
import { zonesOf } from '../connection/places.ts';
import type { CloudSession } from '../connection/session.ts';
import { sessionField } from '../connection/session-field.ts';

/** The result of a description. */
export interface Described<T> {
  readonly found: readonly T[];
  /**
   * Set when the call failed as a whole and each zone was described separately: machines in zones other than
   * `answered` are unknown.
   */
  readonly partial?: PartialAnswer;
}

export interface PartialAnswer {
  readonly answered: ReadonlySet<string>;
  readonly fault: ProviderFault;
}

/** The time after which a zone that did not answer is tried again. */
const zoneRetryMs = 60_000;
/** The time for which an outage of all zones counts as an outage of the service. */
const allZonesRetryMs = 30_000;

interface Outage extends PartialAnswer {
  readonly until: number;
}

/**
 * Describes machines in the zones that answer. While one zone does not answer, EC2 refuses every call that concerns
 * machines there or may concern them; it answers calls that name other zones. Throws when no zone answers, or when the
 * fault is not about a zone. `keep`: what is kept of each machine while the other pages are read. `pause` is called
 * after each page with its number of machines.
 */
export async function partialDescribe<T>(
  session: CloudSession,
  filters: readonly InstanceFilter[],
  keep: (instance: InstanceSummary) => T,
  call: Call,
  pause?: (machines: number) => Promise<void>,
): Promise<Described<T>> {
  const inZones = (zones: Iterable<string>) =>
    ask(session, [...filters, { Name: 'availability-zone', Values: [...zones] }], keep, call, pause);
  const outage = outageOf(session);
  const some = outage !== undefined && outage.answered.size > 0;
  try {
    if (!some) return { found: await ask(session, filters, keep, call, pause) };
    return { found: await inZones(outage.answered), partial: outage };
  } catch (error) {
    if (!isFault(error) || !mayBeZoneOutage(error) || (outage && !some)) throw error;
    // Without a list of zones no separate call is possible.
    const zones = await zonesOf(session, call).catch(() => []);
    const found: T[] = [];
    const answered = new Set<string>();
    for (const zone of zones) {
      try {
        found.push(...(await inZones([zone])));
        answered.add(zone);
      } catch (reason) {
        if (!isFault(reason) || !mayBeZoneOutage(reason)) throw reason;
      }
    }
    if (answered.size < zones.length) remember(session, { answered, fault: error }, zones, call);
    if (answered.size === 0) throw error;
    return { found, partial: { answered, fault: error } };
  }
}

async function ask<T>(
  session: CloudSession,
  filters: readonly InstanceFilter[],
  keep: (instance: InstanceSummary) => T,
  call: Call,
  pause: (machines: number) => Promise<void> = async () => undefined,
): Promise<T[]> {
  const found: T[] = [];
  for await (const page of instancePages(session, filters, call)) {
    for (const instance of page) found.push(keep(instance));
    await pause(page.length);
  }
  return found;
}

/** Whether EC2 itself reported an internal failure. AWS documents no code for the outage of a zone. */
const mayBeZoneOutage = ({ kind, cause }: ProviderFault): boolean =>
  kind === 'unavailable' && ((cause as { readonly status?: number } | undefined)?.status ?? 0) >= 500;

/** The last outage of a zone. */
const lastOutage = sessionField((): { outage?: Outage } => ({}));

function outageOf(session: CloudSession): Outage | undefined {
  const { outage } = lastOutage(session);
  return outage && session.clock.monotonic() < outage.until ? outage : undefined;
}

function remember(session: CloudSession, partial: PartialAnswer, zones: readonly string[], call: Call): void {
  const reported = outageOf(session) !== undefined;
  const { answered, fault } = partial;
  lastOutage(session).outage = {
    ...partial,
    until: session.clock.monotonic() + (answered.size > 0 ? zoneRetryMs : allZonesRetryMs),
  };
  if (reported || answered.size === 0) return;
  const unanswered = zones.filter((zone) => !answered.has(zone));
  call.log.warn(
    { provider_instance: session.instance, zones: unanswered, code: fault.code },
    `Zones do not answer: ${unanswered.join(', ')}. Their machines keep their last known state.`,
  );
}
