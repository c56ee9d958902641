import { type Change, isTerminal, refusals, type RequestStatus } from '../../core/index.ts';
import { compare } from './compare.ts';
import type { Kept } from './kept.ts';
import type { Table } from './table.ts';

const acceptance = [
  ['created_at', 'asc'],
  ['request_id', 'asc'],
] as const;

/** Refuses with INSTANCE_BUSY when the instance has no slot for the request. */
export function refuseWithoutSlot(
  { provider_instance, request_id, max }: Extract<Change, { op: 'slot' }>,
  { request, attempt }: { readonly request: Table; readonly attempt: Table },
): void {
  const own = request.get({ request_id });
  if (!own) throw refusals.lostClaim(request_id);
  const active = attempt
    .all()
    .filter((each) => each['active'] === true && each['provider_instance'] === provider_instance);
  const open = new Set(active.map((each) => each['request_id']));
  if (open.has(request_id)) return;
  const waits = (each: Kept) =>
    each['waits_for'] === provider_instance && !isTerminal(each['status'] as RequestStatus);
  const older = request
    .all()
    .filter((each) => waits(each) && !open.has(each['request_id']) && compare(each, own, acceptance) < 0);
  if (open.size + [...older].length >= max) throw refusals.noSlot(provider_instance, open.size, max);
}
