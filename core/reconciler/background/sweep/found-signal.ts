import { newWishId } from '../../../model/ids.ts';
import type { Change } from '../../../contract/storage.ts';
import type { Astray } from './compare.ts';

/** Hands machines to the case of the request that has lost sight of them, or never saw them. */
export const foundWish = ({ request_id, attempt, provider_instance, machines }: Astray, created_at: number): Change => ({
  op: 'insert',
  kind: 'wish',
  record: {
    wish_id: newWishId(),
    kind: 'found',
    request_id,
    machines: machines.map(({ machine_id }) => ({ provider_instance, machine_id })),
    found: { attempt, reports: [...machines] },
    created_at,
    absorbed: false,
  },
});
