import type { Instance } from '@aws-sdk/client-ec2';
import { isFault, type Call, type ProviderFault } from '../../../core/index.ts';
import { instancePages, type InstanceFilter } from './describe.ts';
import { zonesOf } from '../connection/places.ts';
import type { CloudSession } from '../connection/session.ts';
import { sessionField } from '../connection/session-field.ts';

/** What a question brought. */
export interface Described<T> {
  readonly found: readonly T[];
  /**
   * Zones were asked one by one, because the question as a whole had failed: nothing is known of machines in any zone
   * but these.
   */
  readonly partial?: PartialAnswer;
}

export interface PartialAnswer {
  readonly answered: ReadonlySet<string>;
  readonly fault: ProviderFault;
}

/** So long a zone that did not answer is left out, before it is tried again. */
const leftOutMs = 60_000;
/** So long after no zone answered, it is not a zone's trouble. */
const allOutMs = 30_000;

interface Outage extends PartialAnswer {
  readonly until: number;
}

/**
 * Describes machines as far as the zones answer. While one does not, EC2 refuses every question that means machines
 * there, and every one that might; questions that name other zones it answers. Throws when no zone does, or what is
 * wrong is nothing of a zone. `keep` takes what is wanted of each machine: whole pages of them weigh a lot. /
 */
export async function partialDescribe<T>(
  session: CloudSession,
  filters: readonly InstanceFilter[],
  keep: (instance: Instance) => T,
  call: Call,
): Promise<Described<T>> {
  const inZones = (zones: Iterable<string>) =>
    ask(session, [...filters, { Name: 'availability-zone', Values: [...zones] }], keep, call);
  const outage = outageOf(session);
  const some = outage !== undefined && outage.answered.size > 0;
  try {
    if (!some) return { found: await ask(session, filters, keep, call) };
    return { found: await inZones(outage.answered), partial: outage };
  } catch (error) {
    if (!isFault(error) || !mayBeOfZone(error) || (outage && !some)) throw error;
    // Without a list of zones there is nothing else to ask.
    const zones = await zonesOf(session, call).catch(() => []);
    const found: T[] = [];
    const answered = new Set<string>();
    for (const zone of zones) {
      try {
        found.push(...(await inZones([zone])));
        answered.add(zone);
      } catch (reason) {
        if (!isFault(reason) || !mayBeOfZone(reason)) throw reason;
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
  keep: (instance: Instance) => T,
  call: Call,
): Promise<T[]> {
  const found: T[] = [];
  for await (const page of instancePages(session, filters, call))
    for (const instance of page) found.push(keep(instance));
  return found;
}

/** EC2 itself says that it cannot answer now. No code is promised for a zone's outage. */
const mayBeOfZone = ({ kind, cause }: ProviderFault): boolean =>
  kind === 'unavailable' && ((cause as { readonly status?: number } | undefined)?.status ?? 0) >= 500;

/** The last time that some zone did not answer. */
const lastOutage = sessionField((): { outage?: Outage } => ({}));

function outageOf(session: CloudSession): Outage | undefined {
  const { outage } = lastOutage(session);
  return outage && session.clock.monotonic() < outage.until ? outage : undefined;
}

function remember(session: CloudSession, partial: PartialAnswer, zones: readonly string[], call: Call): void {
  const told = outageOf(session) !== undefined;
  const { answered, fault } = partial;
  lastOutage(session).outage = {
    ...partial,
    until: session.clock.monotonic() + (answered.size > 0 ? leftOutMs : allOutMs),
  };
  if (told || answered.size === 0) return;
  const silent = zones.filter((zone) => !answered.has(zone));
  call.log.warn(
    { provider_instance: session.instance, zones: silent, code: fault.code },
    `Zones do not answer: ${silent.join(', ')}.`,
  );
}
