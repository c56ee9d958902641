import { defaultTimeoutS } from '../../../core/model/request.ts';
import { entriesIn, hostsIn } from '../input.ts';
import { findHosts } from '../find-hosts.ts';
import { invalidInput, type Script } from '../client/script.ts';

/** Returns hosts. Skips unknown hosts; when none is left, the return is still created and is complete. */
export const requestReturnMachines: Script = async ({ input, services, strategy, key, dialect }) => {
  const { inventory, requests } = services;
  const hosts = hostsIn(entriesIn(input, 'machines'));
  if (hosts.length === 0) throw invalidInput();
  const detail = await requests.returnMachines(await findHosts(hosts, inventory), defaultTimeoutS, key ? { key } : {});
  const { request } = detail;
  const { message = request.message } = strategy.returned.render(detail) as Readonly<Record<string, unknown>>;
  const ended = request.status === 'completed';
  return {
    message: ended ? 'No Active VM.' : message,
    requestId: request.request_id,
    ...(dialect === 'lsf' ? { status: ended ? 'complete' : 'running' } : {}),
  };
};
