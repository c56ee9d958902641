import type { ScriptName } from '../../../host/hostfactory/client/script-call.ts';
import { pollUntil, type Scheduler } from './support.ts';

/** A host as HostFactory keeps it: its key is the name. */
export interface Host {
  readonly name: string;
  readonly machineId: string;
}

interface Status {
  readonly requestId: string;
  readonly status: 'running' | 'complete' | 'complete_with_error';
  readonly message: string;
  readonly machines: readonly (Host & { readonly result: string; readonly message: string })[];
}

/**
 * HostFactory as a provider sees it: it waits for templates, asks for hosts, polls what is open to the end, tells all
 * its hosts and gives back those that are wanted back. It believes only what the scripts say, and remembers it; what
 * it was told that contradicts itself is thrown. /
 */
export interface Driver {
  /** What it believes that it has. */
  readonly hosts: ReadonlyMap<string, Host>;
  /** Templates, polled for until they come. */
  start(): Promise<readonly { readonly templateId: string; readonly availableNumber?: number }[]>;
  pending(templateId: string, machineCount: number): Promise<void>;
  giveBack(hosts: readonly Host[]): Promise<void>;
  /** One turn of its loop. */
  tick(): Promise<void>;
  /** Turns until nothing is open. */
  settle(): Promise<void>;
  /** Forgets its hosts, as after a restart; `remember` brings them back. */
  forget(): { remember(): void };
}

/** `between` is called between any two calls, with their number. */
export function driver(
  scheduler: Pick<Scheduler, 'run'>,
  between: (call: number) => Promise<void> = async () => {},
): Driver {
  let hosts = new Map<string, Host>();
  const open = new Map<string, 'demand' | 'return'>();
  const ended = new Map<string, string>();
  const wanted = new Map<string, number>();
  let calls = 0;

  async function call(script: ScriptName, input: unknown): Promise<any> {
    await between(calls++);
    const { code, answer, stdout, stderr } = await scheduler.run(script, input);
    if (code !== 0 || stderr !== '' || answer === undefined)
      throw new Error(`${script} ended with ${code}: ${stdout}${stderr}`);
    return answer;
  }

  function take({ requestId, status, message, machines }: Status): void {
    const kind = open.get(requestId);
    const results = machines
      .map(({ machineId, result }) => `${machineId} ${result}`)
      .toSorted()
      .join();
    const before = ended.get(requestId);
    if (before !== undefined && before !== `${status}: ${results}`)
      throw new Error(`${requestId} ended ${before}, and now: ${status}: ${results}`);
    if (status === 'running' || before !== undefined) return;
    if (/executing/.test(results)) throw new Error(`${requestId} is ${status} and has machines that are executing`);
    ended.set(requestId, `${status}: ${results}`);
    open.delete(requestId);
    if (status !== 'complete') throw new Error(`${requestId} is ${status}: ${message}`);
    for (const { name, machineId, result } of machines) {
      if (result !== 'succeed') throw new Error(`${requestId} is complete and ${machineId} is ${result}`);
      if (kind === 'return') hosts.delete(name);
      else if (hosts.has(name)) throw new Error(`the host ${name} was given twice`);
      else hosts.set(name, { name, machineId });
    }
    if (kind === 'demand' && machines.length !== wanted.get(requestId))
      throw new Error(`${requestId}: ${machines.length} came of ${wanted.get(requestId)}`);
  }

  async function poll(): Promise<void> {
    // Those that have ended are asked for again now and then, as after a lost answer, and what is asked for twice in
    // one call is one and the same.
    const ids = [...open.keys(), ...[...ended.keys()].slice(-1)];
    if (ids.length === 0) return;
    const twice = [...ids, ids[0]];
    const { requests } = await call('getRequestStatus', { requests: twice.map((requestId) => ({ requestId })) });
    if (JSON.stringify(requests.map(({ requestId }: Status) => requestId)) !== JSON.stringify(twice))
      throw new Error('other requests than asked for');
    for (const request of requests as Status[]) take(request);
  }

  async function giveBack(back: readonly Host[]): Promise<void> {
    const { requestId } = await call('requestReturnMachines', {
      machines: back.map(({ name, machineId }) => ({ name, machineId })),
    });
    open.set(requestId, 'return');
  }

  async function tick(): Promise<void> {
    await poll();
    const { requests, status } = await call('getReturnRequests', { machines: [...hosts.values()] });
    if (status !== 'complete') throw new Error(`getReturnRequests is ${status}`);
    const taken = (requests as { machine: string; gracePeriod: number }[]).flatMap(
      ({ machine }) => hosts.get(machine) ?? [],
    );
    if (taken.length > 0) await giveBack(taken);
  }

  return {
    get hosts() {
      return hosts;
    },
    start: () =>
      pollUntil(async () => {
        const { templates } = await call('getAvailableTemplates', {});
        return templates.length > 0 && templates;
      }),
    async pending(templateId, machineCount) {
      const { requestId } = await call('requestMachines', { template: { templateId, machineCount } });
      open.set(requestId, 'demand');
      wanted.set(requestId, machineCount);
    },
    giveBack,
    tick,
    settle: () => pollUntil(async () => (await tick(), open.size === 0), 400).then(() => undefined),
    forget() {
      const known = hosts;
      hosts = new Map();
      return { remember: () => void (hosts = new Map([...known, ...hosts])) };
    },
  };
}
