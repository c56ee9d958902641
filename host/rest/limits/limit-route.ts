import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { BrokerError } from '../../../core/contract/errors.ts';
import { isLocalCall } from '../../http/local-call.ts';
import { clientOf } from '../../http/client-address.ts';
import { limitWindow, type Allowance, type LimitGroup, type RateLimits } from './rate-limits.ts';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/**
 * Returns a hook that counts the calls of a route and refuses calls beyond the limit before their bodies are read.
 * Calls over the Unix socket are not limited.
 */
export function limitRoute(limits: RateLimits, group: LimitGroup): Hook {
  return (request, reply, done) => {
    if (isLocalCall(request.raw)) return done();
    const taken = limits.take(group, clientOf(request));
    if (!(taken instanceof Promise)) return done(applyAllowance(taken, group, reply));
    taken.then((allowance) => done(applyAllowance(allowance, group, reply)), done);
  };
}

/** Writes the rate limit headers. Returns the error when the call is not allowed. */
function applyAllowance(
  { allowed, limit, remaining, reset_at, wait_s }: Allowance,
  group: LimitGroup,
  reply: FastifyReply,
): BrokerError | undefined {
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', remaining);
  reply.header('x-ratelimit-reset', reset_at);
  reply.header('x-ratelimit-window', limitWindow);
  if (allowed) return undefined;
  return new BrokerError(
    'RATE_LIMITED',
    `This client made ${limit} ${calls[group]} in ${limitWindow} s, which is the limit; try again in ${wait_s} s.`,
    { group, limit, window_s: limitWindow, retry_after_s: wait_s },
  );
}

const calls: Readonly<Record<LimitGroup, string>> = {
  provider: 'calls about providers',
  template: 'calls about templates',
  request: 'calls that create or end requests',
  validation: 'validations',
  read: 'calls that read requests and machines',
};
