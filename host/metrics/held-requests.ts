import type { RunningLoop } from '../../core/reconciler/running-loop.ts';
import { gauge, type Family } from './family.ts';

/** Returns the metrics of the requests that this broker holds. */
export function heldRequests(loop: Pick<RunningLoop, 'held'>): readonly Family[] {
  const { requests, unserved, unreadable } = loop.held();
  return [
    gauge('muster_broker_requests', 'Requests that this broker works on.', [[{}, requests]]),
    gauge(
      'muster_broker_requests_unserved',
      'Requests of this broker that wait because no live broker can serve their provider instances.',
      [[{}, unserved]],
    ),
    gauge(
      'muster_broker_requests_unreadable',
      'Requests of this broker that are left alone because their records cannot be read from the storage.',
      [[{}, unreadable]],
    ),
  ];
}
