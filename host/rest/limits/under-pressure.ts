import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Pressure } from '../../metrics/pressure.ts';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/** Refuses a call that changes something, before its body is read, while others wait too long. */
export const refuseUnderPressure =
  (pressure: Pressure): Hook =>
  (_request, _reply, done) =>
    done(pressure.objection());
