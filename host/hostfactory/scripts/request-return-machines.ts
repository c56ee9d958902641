import { defaultTimeoutS } from '../../../core/model/request.ts';
import { entriesIn, hostsIn } from '../input.ts';
import { findHosts } from '../find-hosts.ts';
import { invalidInput, type Script } from '../client/script.ts';

/**
 * Takes hosts back. Those that nobody knows are passed over; when none is left there is still a return, and it is
 * complete.
 */
export const requestReturnMachines: Script = async ({ input, services, strategy, key, dialect }) => {
  const { inventory, requests } = services;
  const hosts = hostsIn(entriesIn(input, 'machines'));
  if (hosts.length === 0) throw invalidInput();
  const detail = await requests.giveBack(await findHosts(hosts, inventory), defaultTimeoutS, key ? { key } : {});
  const { request } = detail;
  const { message = request.message } = strategy.returned.render(detail) as Readonly<Record<string, unknown>>;
  const over = request.status === 'completed';
  return {
    message: over ? 'No Active VM.' : message,
    requestId: request.request_id,
    ...(dialect === 'lsf' ? { status: over ? 'complete' : 'running' } : {}),
  };
};
