import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { BrokerError } from '../../../core/contract/errors.ts';
import { isLocalCall } from '../../http/local-call.ts';
import { clientOf } from '../../http/client-address.ts';
import { limitWindow, type Allowance, type LimitGroup, type RateLimits } from './rate-limits.ts';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/** Counts the calls of a route and refuses those beyond the limit, before their bodies are read. Callers on the Unix socket are not limited. */
export function limitRoute(limits: RateLimits, group: LimitGroup): Hook {
  return (request, reply, done) => {
    if (isLocalCall(request.raw)) return done();
    const taken = limits.take(group, clientOf(request));
    if (!(taken instanceof Promise)) return done(told(taken, group, reply));
    taken.then((allowance) => done(told(allowance, group, reply)), done);
  };
}

/** Writes the headers; gives the refusal, where there is one. */
function told({ allowed, limit, remaining, reset_at, wait_s }: Allowance, group: LimitGroup, reply: FastifyReply): BrokerError | undefined {
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', remaining);
  reply.header('x-ratelimit-reset', reset_at);
  reply.header('x-ratelimit-window', limitWindow);
  if (allowed) return undefined;
  return new BrokerError(
    'RATE_LIMITED',
    `A client may make ${limit} ${calls[group]} in ${limitWindow} s, and this one did; try again in ${wait_s} s.`,
    { group, limit, window_s: limitWindow, retry_after_s: wait_s },
  );
}

const calls: Readonly<Record<LimitGroup, string>> = {
  provider: 'calls about providers',
  template: 'calls about templates',
  request: 'calls that make or end requests',
  validation: 'validations',
  read: 'calls that read requests and machines',
};
