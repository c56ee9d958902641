/** What came of a request, as the default format says it. */
export interface Fulfilment {
  readonly requested: number;
  readonly delivered: number;
}

/** What a caller reads out of the answers, whichever scheduler formed them. */
export interface Seen {
  readonly request_id: string;
  readonly status: string;
  readonly message: string;
  readonly fulfilment?: Fulfilment;
  readonly machines: readonly { readonly machine_id: string; readonly status: string; readonly result?: string }[];
}

export interface Dialect {
  readonly scheduler: 'default' | 'hostfactory';
  /** Body of a request for machines. */
  ask(template_id: string, machine_count: number): object;
  requestId(answer: any): string;
  seen(answer: any): Seen;
  readonly ended: ReadonlySet<string>;
  readonly completed: string;
  /** How a cancelled request ends. */
  readonly cancelled: string;
}

export const defaultDialect: Dialect = {
  scheduler: 'default',
  ask: (template_id, machine_count) => ({ template_id, machine_count }),
  requestId: (answer) => answer.request_id,
  seen: ({ request_id, status, message, fulfilment, machines }) => ({
    request_id,
    status,
    message,
    ...(fulfilment === null ? {} : { fulfilment }),
    machines,
  }),
  ended: new Set(['completed', 'failed', 'cancelled']),
  completed: 'completed',
  cancelled: 'cancelled',
};

export const hostfactoryDialect: Dialect = {
  scheduler: 'hostfactory',
  ask: (templateId, machineCount) => ({ templateId, machineCount }),
  requestId: (answer) => answer.requestId,
  seen({ requests: [first] }) {
    const machines = first.machines.map(({ machineId, status, result }: any) => ({
      machine_id: machineId,
      status,
      result,
    }));
    return { request_id: first.requestId, status: first.status, message: first.message, machines };
  },
  ended: new Set(['complete', 'complete_with_error']),
  completed: 'complete',
  cancelled: 'complete_with_error',
};

export const dialects: readonly Dialect[] = [defaultDialect, hostfactoryDialect];
