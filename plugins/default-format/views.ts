import {
  costOf,
  isTerminal,
  machineCost,
  marketWord,
  machineMessage,
  type MachineAnswer,
  type MachineRecord,
  answers,
  type RequestDetail,
  type View,
  type RequestAnswer,
  listView,
  type ListOf,
  type TemplateDetail,
  type Reclaimed,
} from '../../core/index.ts';

/** Epoch milliseconds as ISO 8601. */
const iso = (at: number): string => new Date(at).toISOString();

/** A machine of a request. */
function machineView(machine: MachineRecord, costs_at: number | undefined): MachineAnswer {
  const { launched_at, reclaim_at, rebalance_at, replaced_by, release_at, replaces, return_id } = machine;
  const { expires_at, held_until, hold_reason } = machine;
  const message = machineMessage(machine);
  return {
    machine_id: machine.machine_id,
    status: machine.status,
    name: machine.name ?? null,
    ...(machine.assigned_name === undefined ? {} : { assigned_name: machine.assigned_name }),
    private_ip: machine.private_ip ?? null,
    public_ip: machine.public_ip ?? null,
    provider_instance: machine.provider_instance,
    machine_type: machine.machine_type ?? null,
    market: machine.market === undefined ? null : marketWord(machine.market),
    zone: machine.zone ?? null,
    ...(costs_at === undefined ? {} : { cost: machineCost(machine, costs_at) ?? null }),
    created_at: iso(machine.created_at),
    ...(launched_at === undefined ? {} : { launched_at }),
    ...(reclaim_at === undefined ? {} : { reclaim_at }),
    ...(rebalance_at === undefined ? {} : { rebalance_at }),
    ...(replaced_by === undefined ? {} : { replaced_by: replaced_by.machine_id }),
    ...(release_at === undefined ? {} : { release_at: iso(release_at) }),
    ...(replaces === undefined ? {} : { replaces: replaces.machine_id }),
    ...(expires_at === undefined ? {} : { expires_at: iso(expires_at) }),
    ...(held_until === undefined ? {} : { held_until: iso(held_until), hold_reason: hold_reason ?? '' }),
    ...(return_id === undefined ? {} : { return_id }),
    ...(message === undefined ? {} : { message }),
  };
}

/** The answer to a request for machines. */
export const requested: View<RequestDetail> = {
  schema: answers.requested,
  render({ request: { request_id, template_id, machine_count, status, message } }) {
    return { request_id, template_id, machine_count, status, message };
  },
};

/** The answer to a return of machines. */
export const returned: View<RequestDetail> = {
  schema: answers.returned,
  render: ({ request: { request_id, status, message }, machine_keys, machines }) => ({
    request_id,
    status,
    machine_ids: (machine_keys ?? machines ?? []).map(({ machine_id }) => machine_id),
    message,
  }),
};

/** The status of a request. Without machines in the detail (`long=false`) the provider selection is omitted too. */
export const status: View<RequestDetail> = {
  schema: answers.status,
  render: (detail) => statusView(detail, detail.machines !== undefined),
};

/** The shape of the status, with or without the provider selection. */
function statusView(
  { request, machines, machine_keys, observed_at, costs_at }: RequestDetail,
  withSelection: boolean,
): RequestAnswer {
  const isOpen = !isTerminal(request.status);
  return {
    request_id: request.request_id,
    template_id: request.template_id,
    machine_count: request.machine_count,
    requested_count: request.machine_count,
    ...(request.names ? { names: request.names } : {}),
    status: request.status,
    provider_type: request.provider_type ?? null,
    provider_instance: request.provider_instance ?? null,
    ...(withSelection && request.provider_selection ? { provider_selection: request.provider_selection } : {}),
    ...(machine_keys ? { machine_ids: machine_keys.map(({ machine_id }) => machine_id) } : {}),
    ...(machines ? { machines: machines.map((machine) => machineView(machine, costs_at)) } : {}),
    fulfilment: request.fulfilment ?? null,
    ...(machines && costs_at !== undefined && request.kind === 'provision'
      ? { cost: costOf(machines, costs_at) }
      : {}),
    ...(request.additional_data ? { additional_data: request.additional_data } : {}),
    message: request.message,
    created_at: iso(request.created_at),
    deadline_at: iso(request.deadline_at),
    ...(isOpen && observed_at !== undefined ? { observed_at: iso(observed_at) } : {}),
    completed_at: request.completed_at === undefined ? null : iso(request.completed_at),
  };
}

/** Requests in a list: each with its status, and with machines only when the detail has them. */
export const listed = listView<RequestDetail>({
  schema: answers.listed,
  entry: (detail) => statusView(detail, true),
  around: ({ count, total_count, not_found, next_offset }, requests) => ({
    requests,
    count,
    total_count,
    ...(not_found === undefined ? {} : { not_found }),
    ...(next_offset === undefined ? {} : { next_offset }),
  }),
});

/** A page of templates. `total` and `filters` are present when a filter was given. */
export const templates: View<ListOf<TemplateDetail>> = {
  schema: answers.templates,
  render: ({ items, total_count, next_offset, filters, at }) => ({
    templates: items.map(({ template }) => template),
    total_count,
    count: items.length,
    message: countMessage(items.length, total_count),
    success: true,
    timestamp: iso(at),
    ...(next_offset === undefined ? {} : { next_offset }),
    ...(filters ? { total: total_count, filters } : {}),
  }),
};

function countMessage(count: number, total: number): string {
  if (total === 0) return 'There are no templates.';
  const what = total === 1 ? 'template' : 'templates';
  return count === total ? `${total} ${what}.` : `${count} of ${total} ${what}.`;
}

/** Machines that the cloud reclaims or reclaimed. */
export const reclaims: View<readonly Reclaimed[]> = {
  schema: answers.reclaims,
  render: (machines) => ({
    machines: machines.map(({ machine_id, name, reason, grace_period_s }) => ({
      machine_id,
      name: name ?? null,
      reason,
      grace_period_s,
    })),
  }),
};
