import { Type, type Static } from 'typebox';

/** What selection needs of an instance that another broker has. Without secrets. */
export const SelectionTerms = Type.Object({
  enabled: Type.Boolean(),
  priority: Type.Number(),
  weight: Type.Number(),
  /** The names of its APIs, preferred first. */
  apis: Type.Array(Type.String()),
  limits: Type.Object({
    max_instances_per_request: Type.Number(),
    max_concurrent_requests: Type.Union([Type.Number(), Type.Null()]),
  }),
  template_defaults: Type.Record(Type.String(), Type.Unknown()),
});
export type SelectionTerms = Static<typeof SelectionTerms>;

/**
 * A provider instance that a broker can serve. `identity`: the cloud to which its session speaks; absent before the
 * first connection.
 */
export const ServedInstance = Type.Object({
  name: Type.String(),
  type: Type.String(),
  identity: Type.Optional(Type.String()),
  /** The instance does not answer this broker: others that it answers work on its requests. */
  unhealthy: Type.Optional(Type.Boolean()),
  /** The part of the rate limits of its cloud that this broker may use. Absent: all brokers use equal parts. */
  share: Type.Optional(Type.Number()),
  /** Absent: the broker is of a version that does not tell them. */
  terms: Type.Optional(SelectionTerms),
});
export type ServedInstance = Static<typeof ServedInstance>;

/**
 * A process that works on requests. Two records are of the same broker when `broker_id` is equal, and of the same
 * holder of claims when `thread` is equal too.
 */
export const BrokerRecord = Type.Object({
  broker_id: Type.String(),
  host: Type.String(),
  /** Changes with every boot of the host. */
  boot: Type.String(),
  /** Where `pid` means the same process. Absent where the system has no such namespaces. */
  pid_namespace: Type.Optional(Type.String()),
  pid: Type.Integer(),
  /** When the process started, because the system reuses pids. Epoch milliseconds. */
  started: Type.Integer(),
  /** Increases when a process replaces its loop thread. A holder of the same process with a lower number is dead. */
  thread: Type.Integer(),
  version: Type.String(),
  /** Where the broker serves HTTP. */
  address: Type.Optional(Type.String()),
  /** The broker ends: it gets no more requests. */
  draining: Type.Optional(Type.Boolean()),
  /** A hash for each template file, by its name. */
  template_files: Type.Optional(Type.Record(Type.String(), Type.String())),
  serves: Type.Array(ServedInstance),
});
export type BrokerRecord = Static<typeof BrokerRecord>;

export const brokerStatuses = ['live', 'draining', 'dead'] as const;
export type BrokerStatus = (typeof brokerStatuses)[number];

/** A broker as the storage knows it. */
export interface BrokerState extends BrokerRecord {
  /** By the clock of the storage. */
  readonly lease_until: number;
  readonly status: BrokerStatus;
  /** How many requests it holds. */
  readonly holds: number;
}

/** How long a broker is listed after its lease ended. */
export const deadShownMs = 600_000;
