import { BrokerError } from '../../../core/contract/errors.ts';
import type { Operation } from '../../../core/operations/operation.ts';
import type { RestBinding } from '../../../core/contract/service/rest-binding.ts';
import { readInput } from '../../../core/operations/read-input.ts';
import { hint } from '../../../core/schema/spelling.ts';
import { isLocalCall } from '../../http/local-call.ts';
import { apiPrefix, jsonType, type RouteParts } from '../bind-operation.ts';
import { callerOf } from '../call/idempotency-key.ts';
import { asksForMany } from '../body/job-queues.ts';
import { limitRoute } from '../limits/limit-route.ts';

const path = '/operations/{operation}';

/**
 * Binds a route that calls any operation by its name, for the SDK and the command line. The body is the input of the
 * operation; the answer has muster's own format whatever the scheduler is. The rate limit is that of the operation's
 * first route, or that of provider operations when it has no route.
 */
export function bindOperationRoutes({ app, paths, broker, limits, expensive }: RouteParts): void {
  const byName = new Map(broker.operations.map((operation) => [operation.name, operation]));
  const groups = new Set(broker.operations.flatMap((operation) => groupOf(operation) ?? []));
  const limited = new Map([...groups].map((group) => [group, limits && limitRoute(limits, group)]));
  paths.add('POST', `${apiPrefix}${path}`, 'error');
  app.route({
    method: 'POST',
    url: `${apiPrefix}/operations/:operation`,
    config: { errors: 'error', operation: 'call_operation' },
    onRequest(request, reply, done) {
      const operation = byName.get((request.params as { operation: string }).operation);
      const refused = operation?.kind === 'command' ? broker.meter.pressure.objection() : undefined;
      if (refused) return done(refused);
      const group = operation && groupOf(operation);
      const count = group && limited.get(group);
      if (count) count(request, reply, done);
      else done();
    },
    async handler(request, reply) {
      const { operation: name } = request.params as { operation: string };
      const operation = byName.get(name);
      if (!operation)
        throw new BrokerError('NOT_FOUND', `There is no operation '${name}'${hint(name, [...byName.keys()])}`);
      const input = readInput(operation, request.body ?? {});
      const who = callerOf(request.headers['idempotency-key'], `operation ${name}`, input);
      const caller = isLocalCall(request.raw) ? { ...who, owner: true } : who;
      const serve = async () => {
        const result = await operation.handle(input, broker.services, caller);
        return JSON.stringify(await broker.rendering.value(operation, result, broker.rendering.own));
      };
      const body = await (asksForMany(input as Readonly<Record<string, unknown>>) ? expensive(serve) : serve());
      reply.header('content-type', jsonType);
      return body;
    },
  });
}

/** The rate limit group of an operation. Undefined: its route has no limit. */
function groupOf({ rest }: Operation<any, any>): RestBinding['limit'] {
  const [own] = [rest ?? []].flat();
  return own ? own.limit : 'provider';
}
