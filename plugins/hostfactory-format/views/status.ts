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
    Type.Record(Type.String(), Type.Unknown(), { description: 'The additional data of the request, unchanged.' }),
  ),
});

export const Requests = Type.Object({ requests: Type.Array(Request) });

const Listed = Type.Object({
  ...Requests.properties,
  not_found: Type.Optional(Type.Array(Type.String(), { description: 'Requested ids that do not exist.' })),
  next_offset: Type.Optional(
    Type.Integer({
      description: 'Only when the answer would be too large: the `offset` of the first entry that is missing.',
    }),
  ),
});

type MachineView = Static<typeof Machine>;
/** Renders a machine of a request. */
type ShowMachine = (machine: MachineRecord, result: MachineResult, detail: RequestDetail) => MachineView;

/** The answer of getRequestStatus for one request. */
export const statusView = (dialect: Dialect): View<RequestDetail> => ({
  schema: Requests,
  render: (detail) => ({ requests: [requestView(detail, machineViews[dialect])] }),
});

/** The answer of getRequestStatus for several requests. */
export const listedView = (dialect: Dialect): ListView<RequestDetail> =>
  listView({
    schema: Listed,
    entry: (detail) => requestView(detail, machineViews[dialect]),
    around: ({ not_found, next_offset }, requests) => ({
      requests,
      ...(not_found === undefined ? {} : { not_found }),
      ...(next_offset === undefined ? {} : { next_offset }),
    }),
  });

const machineViews: Readonly<Record<Dialect, ShowMachine>> = {
  symphony: (machine, result, { request }) => machineView(machine, result, request),
  lsf(machine, result, detail) {
    // LSF has no field for the price type.
    const { priceType: _, ...view } = machineView(machine, result, detail.request);
    return { ...view, ...lsfFields(machine, detail) };
  },
};

/** One entry of `requests`: a request for machines, or a return. Without machines in the detail its list is empty. */
function requestView(detail: RequestDetail, show: ShowMachine) {
  const { request } = detail;
  return {
    requestId: request.request_id,
    status: requestStatus(request),
    message: messageOf(request),
    machines: request.kind === 'return' ? returnedMachines(detail, show) : acquiredMachines(detail, show),
    ...(request.additional_data ? { additionalData: request.additional_data } : {}),
  };
}

function acquiredMachines(detail: RequestDetail, show: ShowMachine): readonly MachineView[] {
  const { request, machines = [] } = detail;
  const shown = machines.map((machine) => show(machine, acquireResult(request, machine), detail));
  const succeeded = shown.filter(({ result }) => result === 'succeed');
  // The fulfillment reports failed and replaced machines. A complete delivery lists only the delivered machines.
  return request.status === 'completed' && succeeded.length >= request.machine_count ? succeeded : shown;
}

function returnedMachines(detail: RequestDetail, show: ShowMachine): readonly MachineView[] {
  const { request, machines, machine_keys } = detail;
  if (!machines) return [];
  const known = new Set(machines.map(({ machine_id }) => machine_id));
  const unknown = (machine_keys ?? []).filter(({ machine_id }) => !known.has(machine_id));
  return [
    ...machines.map((machine) => show(machine, returnResult(request, machine), detail)),
    ...unknown.map((key) => show(forgotten(key, request.created_at), { result: 'succeed', message: '' }, detail)),
  ];
}

/** A machine whose record was purged after the machine was gone. */
const forgotten = (key: MachineKey, created_at: number): MachineRecord => ({
  ...key,
  request_id: '',
  attempt: 0,
  template_id: '',
  status: 'terminated',
  created_at,
});

/**
 * The result of a machine of a return: it succeeds when the machine is gone for any reason, and fails only when the
 * return ends before.
 */
function returnResult(request: RequestRecord, machine: MachineRecord): MachineResult {
  const gone = machine.gone_at !== undefined || machine.status === 'terminated' || machine.status === 'stopped';
  if (gone) return { result: 'succeed', message: '' };
  if (!isTerminal(request.status)) return { result: 'executing', message: '' };
  return {
    result: 'fail',
    message: machine.message ?? `The machine is still ${machine.status}; its termination is retried.`,
  };
}

/** The fields that LSF reads in addition to Symphony. Unknown values are omitted. */
function lsfFields(machine: MachineRecord, { request, typeOf }: RequestDetail): Readonly<Record<string, unknown>> {
  const account = request.tags?.['RC_ACCOUNT'];
  const type = typeOf?.(machine);
  return {
    ...(account === undefined ? {} : { rcAccount: account }),
    ...(machine.market === undefined ? {} : { lifeCycleType: machine.market === 'spot' ? 'Spot' : 'OnDemand' }),
    ...(type ? { ncores: type.cores, nthreads: type.vcpus } : {}),
  };
}
