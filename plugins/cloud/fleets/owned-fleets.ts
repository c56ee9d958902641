import { isFault, type Call, type OwnedResource } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { madeFor, ownTags, tagValue } from '../template/tags.ts';
import type { FleetPort } from './fleet-port.ts';

/** Fleets with the tag of an installation that may still start machines. A fleet that is being stopped starts none. */
export async function* ownedFleets(
  session: CloudSession,
  port: FleetPort,
  installation: string,
  call: Call,
): AsyncGenerator<OwnedResource> {
  for await (const { id, state, tags, created_at } of port.list(session, call)) {
    if (tagValue(tags, ownTags.installation) !== installation || !live.has(state)) continue;
    yield {
      kind: 'container',
      id,
      ...madeFor(tags),
      ...(created_at === undefined ? {} : { created_at: session.cloudClock.toBrokerTime(created_at) }),
    };
  }
}

const live: ReadonlySet<string> = new Set(['submitted', 'active', 'modifying']);

/** Stops orphaned fleets; their machines are terminated separately. A fleet that is stopped or gone is a success. */
export async function removeFleets(
  session: CloudSession,
  port: FleetPort,
  orphans: readonly OwnedResource[],
  call: Call,
): Promise<void> {
  for (const { id } of orphans) {
    try {
      const [fleet] = await port.describe(session, [id], call);
      if (fleet && live.has(fleet.state)) await port.stop(session, id, call);
    } catch (error) {
      if (!isFault(error) || error.kind !== 'gone') throw error;
    }
  }
}
