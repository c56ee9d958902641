import { Type } from 'typebox';
import type { MachineKey, MachineRecord, RequestDetail, View } from '../../core/index.ts';
import { acquireResult } from './acquire-result.ts';
import { Machine, machineView } from './machine.ts';
import { messageOf } from './message.ts';
import { requestStatus, requestStatuses } from './request-status.ts';
import { returnResult } from './return-result.ts';

export const Request = Type.Object({
  requestId: Type.String(),
  status: Type.Enum([...requestStatuses]),
  message: Type.String(),
  machines: Type.Array(Machine),
});

export const Requests = Type.Object({ requests: Type.Array(Request) });

/** getRequestStatus for one request. */
export const status: View<RequestDetail> = {
  schema: Requests,
  render: (detail) => ({ requests: [requestView(detail)] }),
};

/** One entry of `requests`: a request for machines, or a return. Without machines in the detail the list is empty. */
export function requestView(detail: RequestDetail) {
  const { request } = detail;
  return {
    requestId: request.request_id,
    status: requestStatus(request),
    message: messageOf(request),
    machines: request.kind === 'return' ? returnedMachines(detail) : acquiredMachines(detail),
  };
}

function acquiredMachines({ request, machines = [] }: RequestDetail) {
  const shown = machines.map((machine) => machineView(machine, acquireResult(request, machine), request.template));
  const succeeded = shown.filter(({ result }) => result === 'succeed');
  // What failed on the way and was replaced is told in the fulfilment; a full delivery shows the machines that are there.
  return request.status === 'completed' && succeeded.length >= request.machine_count ? succeeded : shown;
}

function returnedMachines({ request, machines, machine_keys }: RequestDetail) {
  if (!machines) return [];
  const known = new Set(machines.map(({ machine_id }) => machine_id));
  const unknown = (machine_keys ?? []).filter(({ machine_id }) => !known.has(machine_id));
  return [
    ...machines.map((machine) => machineView(machine, returnResult(request, machine), undefined)),
    ...unknown.map((key) => machineView(forgotten(key, request.created_at), { result: 'succeed', message: '' }, undefined)),
  ];
}

/** A machine whose record was purged after it was gone. */
const forgotten = (key: MachineKey, created_at: number): MachineRecord => ({
  ...key,
  request_id: '',
  attempt: 0,
  template_id: '',
  status: 'terminated',
  created_at,
  misses: 0,
});
