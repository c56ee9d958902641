import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Pressure } from '../../metrics/pressure.ts';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/**
 * Returns a hook that refuses a call which changes state, before its body is read, while other calls wait too long.
 */
export const refuseUnderPressure =
  (pressure: Pressure): Hook =>
  (_request, _reply, done) =>
    done(pressure.objection());
