import type { Call } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { ownTags, tagValue } from '../template/tags.ts';
import { handleOf, type FleetPort, type StandingHandle, type StandingOrder } from './fleet-port.ts';

/** Finds the fleet of an order by its token or by the tags of muster. */
export async function findFleet(
  session: CloudSession,
  port: FleetPort,
  order: StandingOrder,
  call: Call,
): Promise<StandingHandle | undefined> {
  for await (const { id, token, tags } of port.list(session, call)) {
    const tagged =
      tagValue(tags, ownTags.installation) === session.installation &&
      tagValue(tags, ownTags.request) === order.request_id &&
      tagValue(tags, ownTags.attempt) === String(order.attempt);
    if (token === order.token || tagged) return handleOf(order.prepared, id);
  }
  return undefined;
}
