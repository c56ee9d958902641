import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BrokerError } from '../../../core/contract/errors.ts';
import { apiPrefix } from '../bind-operation.ts';
import { methodNotAllowed } from '../failures.ts';
import type { PathTable } from './path-table.ts';

/**
 * Binds GET /machines/ and GET /machines/{machine_id}, which are planned and not served. They answer 501 and name the
 * routes that list machines.
 */
export function bindMachineRoutes(app: FastifyInstance, paths: PathTable): void {
  const refuse = (request: FastifyRequest): never => {
    const path = request.url.split('?', 1)[0] ?? '';
    const served = paths.match(path);
    // `request` and `return` are not machine ids: these paths serve POST.
    if (served && !served.methods.includes('GET')) throw methodNotAllowed('GET', path, served.methods);
    throw new BrokerError(
      'NOT_IMPLEMENTED',
      `This route does not serve machines: GET ${apiPrefix}/inventory/ [list_machines] lists them, GET ${apiPrefix}/inventory/{machine_id} [get_machine] shows one.`,
    );
  };
  for (const path of ['/machines/', '/machines/{machine_id}']) paths.add('GET', `${apiPrefix}${path}`, 'detail');
  for (const url of ['/machines/', '/machines', '/machines/:machine_id']) app.get(`${apiPrefix}${url}`, refuse);
}
