import { definePlugin, listView, machineKey, Type } from 'muster';
import type { ListOf, MachineKey, MachineRecord, Reclaimed, RequestDetail, TemplateDetail, View } from 'muster';
import { csv, header, record, type Columns } from './csv.ts';

/** A machine of a request, or a request that has none yet. */
interface Row extends RequestDetail {
  readonly machine?: MachineKey & Partial<MachineRecord>;
}

const requestedColumns: Columns<RequestDetail> = {
  request_id: ({ request }) => request.request_id,
  template_id: ({ request }) => request.template_id,
  machine_count: ({ request }) => request.machine_count,
  status: ({ request }) => request.status,
  message: ({ request }) => request.message,
};

const returnedColumns: Columns<Row> = {
  request_id: ({ request }) => request.request_id,
  status: ({ request }) => request.status,
  machine_id: ({ machine }) => machine?.machine_id,
  message: ({ request }) => request.message,
};

const statusColumns: Columns<Row> = {
  request_id: ({ request }) => request.request_id,
  request_status: ({ request }) => request.status,
  machine_id: ({ machine }) => machine?.machine_id,
  machine_status: ({ machine }) => machine?.status,
  name: ({ machine }) => machine?.name,
  private_ip: ({ machine }) => machine?.private_ip,
  public_ip: ({ machine }) => machine?.public_ip,
  provider_instance: ({ machine }) => machine?.provider_instance,
  created_at: ({ machine }) => time(machine?.created_at),
  reclaim_at: ({ machine }) => machine?.reclaim_at,
  message: ({ machine }) => machine?.message,
  request_message: ({ request }) => request.message,
};

const listedColumns: Columns<RequestDetail> = {
  request_id: ({ request }) => request.request_id,
  kind: ({ request }) => request.kind,
  template_id: ({ request }) => request.template_id,
  machine_count: ({ request }) => request.machine_count,
  delivered: ({ request }) => request.delivered,
  status: ({ request }) => request.status,
  provider_instance: ({ request }) => request.provider_instance,
  created_at: ({ request }) => time(request.created_at),
  completed_at: ({ request }) => time(request.completed_at),
  message: ({ request }) => request.message,
};

const templateColumns: Columns<TemplateDetail> = {
  template_id: ({ template }) => template.template_id,
  name: ({ template }) => template.name,
  provider_api: ({ template }) => template.provider_api,
  machine_type: ({ template }) => template.machine_type,
  max_instances: ({ template }) => template.max_instances,
};

const reclaimColumns: Columns<Reclaimed> = {
  machine_id: (machine) => machine.machine_id,
  name: (machine) => machine.name,
  reason: (machine) => machine.reason,
  grace_period_s: (machine) => machine.grace_period_s,
};

const time = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();

/**
 * One row for each machine. A request without machines has one row too, so that its status can always be read.
 */
function rowsOf(detail: RequestDetail): readonly Row[] {
  const { machines = [], machine_keys = machines } = detail;
  const known = new Map(machines.map((machine) => [machineKey(machine), machine]));
  const rows = machine_keys.map((key): Row => ({ ...detail, machine: known.get(machineKey(key)) ?? key }));
  return rows.length === 0 ? [detail] : rows;
}

/** The documentation of the API shows the columns as the first line of an example. */
function view<T, R>(columns: Columns<R>, rows: (value: T) => readonly R[]): View<T> {
  return { schema: schemaOf(columns), render: (value) => csv(columns, rows(value)) };
}

const schemaOf = (columns: Columns<never>) =>
  Type.String({ description: 'CSV (RFC 4180).', examples: [header(columns)] });

/** Scheduler strategy `csv`. */
export default definePlugin({
  name: 'format-csv',
  contract: 1,
  // Template files have the form of that plugin.
  requires: ['default-format'],
  schedulers: [
    {
      name: 'csv',
      media_type: 'text/csv; charset=utf-8; header=present',
      requested: view(requestedColumns, (detail: RequestDetail) => [detail]),
      returned: view(returnedColumns, rowsOf),
      status: view(statusColumns, rowsOf),
      listed: listView<RequestDetail>({
        schema: schemaOf(listedColumns),
        entry: (detail) => record(listedColumns, detail),
        around: (_, records) => header(listedColumns) + records.join(''),
      }),
      templates: view(templateColumns, ({ items }: ListOf<TemplateDetail>) => items),
      reclaims: view(reclaimColumns, (machines: readonly Reclaimed[]) => machines),
    },
  ],
});
