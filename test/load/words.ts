/** A call in the words of one kind of scheduler, and how its answer is read. */
export interface Call {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Statuses beside 200 that are part of the contract. */
  readonly also?: readonly number[];
}

export interface Standing {
  readonly over: boolean;
  readonly machine_ids: readonly string[];
}

/** What a scheduler says all day. */
export interface Words {
  readonly name: string;
  templates(): Call;
  ask(template_id: string, machine_count: number): Call;
  giveBack(machine_ids: readonly string[]): Call;
  status(request_id: string): Call;
  list(): Call;
  /** Undefined where this kind cannot. */
  cancel?(request_id: string): Call;
  idIn(answer: any): string;
  standing(answer: any): Standing;
}

const api = '/api/v1';
const over = new Set(['completed', 'failed', 'cancelled', 'complete', 'complete_with_error']);

/** REST, in our own words. */
export const rest: Words = {
  name: 'rest',
  templates: () => ({ name: 'templates', method: 'GET', path: `${api}/templates/` }),
  ask: (template_id, machine_count) => ({
    name: 'request',
    method: 'POST',
    path: `${api}/machines/request`,
    body: { template_id, machine_count },
  }),
  giveBack: (machine_ids) => ({
    name: 'return',
    method: 'POST',
    path: `${api}/machines/return`,
    body: { machine_ids },
  }),
  status: (id) => ({ name: 'status', method: 'GET', path: `${api}/requests/${id}/status` }),
  list: () => ({ name: 'list', method: 'GET', path: `${api}/requests/?limit=50` }),
  cancel: (id) => ({ name: 'cancel', method: 'DELETE', path: `${api}/requests/${id}?reason=load`, also: [202, 409] }),
  idIn: (answer) => answer.request_id,
  standing: (answer) => ({
    over: over.has(answer.status),
    machine_ids: answer.machines.map((machine: { machine_id: string }) => machine.machine_id),
  }),
};

const script = (name: string, path: string, input: unknown): Call => ({
  name,
  method: 'POST',
  path: `${api}/hostfactory/${path}`,
  body: { input, env: { dialect: 'symphony' } },
});

/** What HostFactory's scripts send. */
export const hostFactory: Words = {
  name: 'hostfactory',
  templates: () => script('templates', 'getAvailableTemplates', {}),
  ask: (templateId, machineCount) => script('request', 'requestMachines', { template: { templateId, machineCount } }),
  giveBack: (ids) => script('return', 'requestReturnMachines', { machines: ids.map((machineId) => ({ machineId })) }),
  status: (requestId) => script('status', 'getRequestStatus', { requests: [{ requestId }] }),
  list: () => script('list', 'getReturnRequests', { machines: [] }),
  idIn: (answer) => answer.requestId,
  standing: (answer) => ({
    over: over.has(answer.requests[0].status),
    machine_ids: answer.requests[0].machines.map((machine: { machineId: string }) => machine.machineId),
  }),
};
