import { Type, type Static } from 'typebox';

/**
 * A provider instance that a broker can serve. `identity`: the cloud to which its session speaks; absent before the
 * first connection.
 */
export const ServedInstance = Type.Object({
  name: Type.String(),
  type: Type.String(),
  identity: Type.Optional(Type.String()),
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
