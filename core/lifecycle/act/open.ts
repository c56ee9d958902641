import { ProviderFault } from '../../fault.ts';
import { attemptToken } from '../../ids.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import { absorbLaunchFault } from '../absorb/absorb-launch.ts';
import { machineTags } from '../decide/machine-tags.ts';
import type { PlannedOrder } from '../decide/plan.ts';
import type { Holding } from '../hold/holding.ts';
import { connect, defaultAgainMs, type Absorb, type Tools } from './tools.ts';

/** However long an instance wants to be left alone: then it is seen whether another may serve. */
const longestHoldMs = 10_000;

/** Writes down the orders before anything is sent. An instance that cannot say which cloud it is gets none. */
export async function open(orders: readonly PlannedOrder[], holding: Holding, tools: Tools): Promise<Absorb> {
  const [first] = orders;
  if (!first) return () => undefined;
  const { provider_instance, provider_type, api } = first.option;
  const connected = await connect(provider_instance, tools);
  if (connected instanceof ProviderFault && connected.kind !== 'credentials') {
    // It may answer in a moment, and nothing was promised to it yet: meanwhile another option may serve.
    holding.holdBack(
      `Waiting for '${provider_instance}': ${connected.message}`,
      Math.min(connected.retry_after_ms ?? defaultAgainMs, longestHoldMs),
    );
    return () => undefined;
  }
  return (draft) => {
    const { request, now } = draft;
    let number = draft.attempts.reduce((most, attempt) => Math.max(most, attempt.attempt), 0);
    for (const order of connected instanceof ProviderFault ? orders.slice(0, 1) : orders) {
      number += 1;
      const attempt: AttemptRecord = {
        request_id: request.request_id,
        attempt: number,
        provider_instance,
        provider_type,
        api,
        identity: connected instanceof ProviderFault ? provider_instance : connected.identity,
        token: attemptToken(tools.installation, request.request_id, number),
        order: {
          machine_count: order.machine_count,
          template: order.option.template,
          ...(order.offers ? { offers: [...order.offers] } : {}),
          tags: machineTags(order.option.template, request),
        },
        state: 'open',
        settled: false,
        disposed: false,
        shortfall: [],
        created_at: now,
        ...(tools.api(order.option)?.prepare ? { unsent: true } : { unsent: false, sent_at: now }),
        doubtful: false,
        tries: 0,
      };
      draft.putAttempt(attempt);
      // The instance cannot be used at all: the attempt is closed as it is made, so that the next option is tried.
      if (connected instanceof ProviderFault) absorbLaunchFault(draft, attempt, connected);
    }
    draft.setRequest({ provider_instance, provider_type });
  };
}
