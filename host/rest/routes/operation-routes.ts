import { BrokerError } from '../../../core/contract/errors.ts';
import type { Operation, RestBinding } from '../../../core/operations/operation.ts';
import { readInput } from '../../../core/operations/read-input.ts';
import { hint } from '../../../core/schema/spelling.ts';
import { isLocalCall } from '../../http/local-call.ts';
import { apiPrefix, jsonType, type RouteParts } from '../bind-operation.ts';
import { callerOf } from '../call/idempotency-key.ts';
import { asksForMany } from '../body/one-a-turn.ts';
import { limitRoute } from '../limits/limit-route.ts';

const path = '/operations/{operation}';

/**
 * Every operation under its name, for the SDK and the command line: the body is its input, the answer is in our own words whatever the scheduler. An
 * operation is limited as its own route is; as provider operations are where it has no route.
 */
export function bindOperationRoutes({ app, paths, broker, limits, dear }: RouteParts): void {
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
      if (!operation) throw new BrokerError('NOT_FOUND', `There is no operation '${name}'${hint(name, [...byName.keys()])}`);
      const input = readInput(operation, request.body ?? {});
      const who = callerOf(request.headers['idempotency-key'], `operation ${name}`, input);
      const caller = isLocalCall(request.raw) ? { ...who, owner: true } : who;
      const serve = async () => {
        const result = await operation.handle(input, broker.services, caller);
        return JSON.stringify(await broker.rendering.value(operation, result, broker.rendering.own));
      };
      const body = await (asksForMany(input as Readonly<Record<string, unknown>>) ? dear(serve) : serve());
      reply.header('content-type', jsonType);
      return body;
    },
  });
}

/** Undefined: its own route is not limited. */
function groupOf({ rest }: Operation<any, any>): RestBinding['limit'] {
  const [own] = [rest ?? []].flat();
  return own ? own.limit : 'provider';
}
