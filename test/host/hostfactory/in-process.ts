import type { Dialect, ScriptName } from '../../../host/hostfactory/client/script-call.ts';
import { bootBroker, type BootedBroker, type BootOptions } from '../../support/boot-broker.ts';

/** What the server says to a script, without a process. */
export async function ask(
  broker: BootedBroker,
  script: ScriptName,
  input: unknown,
  env: { readonly dialect?: Dialect; readonly provider_name?: string } = {},
): Promise<{ readonly code: number; readonly answer: any }> {
  const { status, headers, body } = await broker.call('POST', `/hostfactory/${script}`, { input, env });
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return { code: Number(headers['x-exit-code']), answer: body };
}

export const file = { imageId: 'ami-1', subnetId: 'subnet-1' };
export const templates = [
  { templateId: 'one', maxNumber: 20, vmType: 't3.small', ...file },
  {
    templateId: 'weighted',
    maxNumber: 20,
    vmTypes: { 't3.small': 1, 't3.medium': 2 },
    priceType: 'ondemand',
    ...file,
  },
];

/** A broker of its own for one test, with these templates. */
export async function boot(
  t: { teardown(end: () => Promise<void>): void },
  options: BootOptions = {},
): Promise<BootedBroker> {
  const broker = await bootBroker({ templates, ...options });
  t.teardown(() => broker.close());
  return broker;
}

/** Asks for machines; the id of the request. */
export async function request(broker: BootedBroker, machineCount: number, templateId = 'one'): Promise<string> {
  const { code, answer } = await ask(broker, 'requestMachines', { template: { templateId, machineCount } });
  if (code !== 0) throw new Error(answer.message);
  return answer.requestId;
}

export const statusOf = async (broker: BootedBroker, requestId: string) =>
  (await ask(broker, 'getRequestStatus', { requests: [{ requestId }] })).answer.requests[0];

/** The status of a request, once it is final. */
export const ended = (broker: BootedBroker, requestId: string) =>
  broker.until(async () => {
    const found = await statusOf(broker, requestId);
    return found.status !== 'running' && found;
  });

/** The hosts of a status, as a scheduler names them later. */
export const hostsOf = (status: any) => status.machines.map(({ name, machineId }: any) => ({ name, machineId }));
