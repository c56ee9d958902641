import { answers, type RequestAnswer, type RequestDetail, type View } from '../../core/index.ts';
import { iso } from './iso.ts';
import { machineView } from './machine.ts';

/** How a request stands. Without machines in the detail (`long=false`) the provider selection is left out too. */
export const status: View<RequestDetail> = {
  schema: answers.status,
  render: (detail) => statusView(detail, detail.machines !== undefined),
};

/** The shape of the status, with or without the provider selection. */
export function statusView({ request, machines, machine_keys }: RequestDetail, withSelection: boolean): RequestAnswer {
  return {
    request_id: request.request_id,
    template_id: request.template_id,
    machine_count: request.machine_count,
    requested_count: request.machine_count,
    status: request.status,
    provider_type: request.provider_type ?? null,
    provider_instance: request.provider_instance ?? null,
    ...(withSelection && request.provider_selection ? { provider_selection: request.provider_selection } : {}),
    ...(machine_keys ? { machine_ids: machine_keys.map(({ machine_id }) => machine_id) } : {}),
    ...(machines ? { machines: machines.map(machineView) } : {}),
    fulfilment: request.fulfilment ?? null,
    ...(request.additional_data ? { additional_data: request.additional_data } : {}),
    message: request.message,
    created_at: iso(request.created_at),
    completed_at: request.completed_at === undefined ? null : iso(request.completed_at),
  };
}
