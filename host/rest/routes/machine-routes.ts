import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BrokerError } from '../../../core/contract/errors.ts';
import { apiPrefix } from '../bind-operation.ts';
import { methodNotAllowed } from '../failures.ts';
import type { PathTable } from './path-table.ts';

/** GET /machines/ and GET /machines/{machine_id} are planned and not served: 501, naming the routes that list machines. */
export function bindMachineRoutes(app: FastifyInstance, paths: PathTable): void {
  const refuse = (request: FastifyRequest): never => {
    const path = request.url.split('?', 1)[0] ?? '';
    const served = paths.match(path);
    // `request` and `return` are no machine ids: these paths serve POST.
    if (served && !served.methods.includes('GET')) throw methodNotAllowed('GET', path, served.methods);
    throw new BrokerError(
      'NOT_IMPLEMENTED',
      `Machines are not listed here: GET ${apiPrefix}/inventory/ [list_machines] lists them, GET ${apiPrefix}/inventory/{machine_id} [get_machine] shows one.`,
    );
  };
  for (const path of ['/machines/', '/machines/{machine_id}']) paths.add('GET', `${apiPrefix}${path}`, 'detail');
  for (const url of ['/machines/', '/machines', '/machines/:machine_id']) app.get(`${apiPrefix}${url}`, refuse);
}
