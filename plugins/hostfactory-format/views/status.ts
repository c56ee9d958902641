import { Type, type Static } from 'typebox';
import {
  listView,
  type ListView,
  type MachineKey,
  type MachineRecord,
  type RequestDetail,
  type View,
  isTerminal,
  type RequestRecord,
} from '../../../core/index.ts';
import { acquireResult, type MachineResult } from './acquire-result.ts';
import type { Dialect } from '../dialect.ts';
import { Machine, machineView } from './machine.ts';
import { messageOf } from './message.ts';
import { requestStatus, requestStatuses } from './request-status.ts';

export const Request = Type.Object({
  requestId: Type.String(),
  status: Type.Enum([...requestStatuses]),
  message: Type.String(),
  machines: Type.Array(Machine),
  additionalData: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'What came with the request, as it came.' }),
  ),
});

export const Requests = Type.Object({ requests: Type.Array(Request) });

const Listed = Type.Object({
  ...Requests.properties,
  not_found: Type.Optional(
    Type.Array(Type.String(), { description: 'Of requests that were asked for by id: those that nobody knows.' }),
  ),
  next_offset: Type.Optional(
    Type.Integer({
      description: 'Only where the answer would have become too large: the `offset` of the first entry that it lacks.',
    }),
  ),
});

type MachineView = Static<typeof Machine>;
/** How a machine of a request looks. */
type Show = (machine: MachineRecord, result: MachineResult, detail: RequestDetail) => MachineView;

/** getRequestStatus for one request. */
export const statusView = (dialect: Dialect): View<RequestDetail> => ({
  schema: Requests,
  render: (detail) => ({ requests: [requestView(detail, shows[dialect])] }),
});

/** getRequestStatus for many. */
export const listedView = (dialect: Dialect): ListView<RequestDetail> =>
  listView({
    schema: Listed,
    entry: (detail) => requestView(detail, shows[dialect]),
    around: ({ not_found, next_offset }, requests) => ({
      requests,
      ...(not_found === undefined ? {} : { not_found }),
      ...(next_offset === undefined ? {} : { next_offset }),
    }),
  });

const shows: Readonly<Record<Dialect, Show>> = {
  symphony: (machine, result, { request }) => machineView(machine, result, request),
  lsf(machine, result, detail) {
    // LSF has no word for prices.
    const { priceType: _, ...view } = machineView(machine, result, detail.request);
    return { ...view, ...lsfFields(machine, detail) };
  },
};

/** One entry of `requests`: a request for machines, or a return. Without machines in the detail the list is empty. */
function requestView(detail: RequestDetail, show: Show) {
  const { request } = detail;
  return {
    requestId: request.request_id,
    status: requestStatus(request),
    message: messageOf(request),
    machines: request.kind === 'return' ? returnedMachines(detail, show) : acquiredMachines(detail, show),
    ...(request.additional_data ? { additionalData: request.additional_data } : {}),
  };
}

function acquiredMachines(detail: RequestDetail, show: Show): readonly MachineView[] {
  const { request, machines = [] } = detail;
  const shown = machines.map((machine) => show(machine, acquireResult(request, machine), detail));
  const succeeded = shown.filter(({ result }) => result === 'succeed');
  // What failed on the way and was replaced is told in the fulfilment; a full delivery shows the machines that are
  // there.
  return request.status === 'completed' && succeeded.length >= request.machine_count ? succeeded : shown;
}

function returnedMachines(detail: RequestDetail, show: Show): readonly MachineView[] {
  const { request, machines, machine_keys } = detail;
  if (!machines) return [];
  const known = new Set(machines.map(({ machine_id }) => machine_id));
  const unknown = (machine_keys ?? []).filter(({ machine_id }) => !known.has(machine_id));
  return [
    ...machines.map((machine) => show(machine, returnResult(request, machine), detail)),
    ...unknown.map((key) => show(forgotten(key, request.created_at), { result: 'succeed', message: '' }, detail)),
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
});

/**
 * A machine of a return: it succeeds by being gone, whatever took it, and fails only when the return ends before that.
 */
function returnResult(request: RequestRecord, machine: MachineRecord): MachineResult {
  const gone = machine.gone_at !== undefined || machine.status === 'terminated' || machine.status === 'stopped';
  if (gone) return { result: 'succeed', message: '' };
  if (!isTerminal(request.status)) return { result: 'executing', message: '' };
  return {
    result: 'fail',
    message: machine.message ?? `The machine is still ${machine.status}; its end is tried on.`,
  };
}

/** What LSF wants to know of a machine beside what Symphony does; what is not known is left out. */
function lsfFields(machine: MachineRecord, { request, typeOf }: RequestDetail): Readonly<Record<string, unknown>> {
  const account = request.tags?.['RC_ACCOUNT'];
  const type = typeOf?.(machine);
  return {
    ...(account === undefined ? {} : { rcAccount: account }),
    ...(machine.market === undefined ? {} : { lifeCycleType: machine.market === 'spot' ? 'Spot' : 'OnDemand' }),
    ...(type ? { ncores: type.cores, nthreads: type.vcpus } : {}),
  };
}
