import type { ServiceRecord, ServiceRecords } from '../../../core/index.ts';

/** Whether a node shall have a machine. Kept for each node that was ever switched. */
export interface NodeState {
  readonly state: 'on' | 'off';
  /** Increases with each switch. */
  readonly generation: number;
  /** The order that has, or had, the machine of the node. */
  readonly order?: string;
  /** When Slurm first showed the node as up with its machine. Epoch milliseconds. */
  readonly joined_at?: number;
  /** Epoch milliseconds of the last switch. */
  readonly at: number;
}

/** A request for the machines of nodes. Written after the records of its nodes, so that it is complete. */
export interface OrderState {
  readonly request_id: string;
  readonly template: string;
  readonly set: number;
  readonly names: readonly string[];
  /** Several nodes of one job: all of them, or none. */
  readonly all_or_nothing: boolean;
  readonly job?: number;
  /** Why the broker did not accept the request. */
  readonly refused?: { readonly code: string; readonly message: string };
  readonly at: number;
}

/** A set that lacked capacity: its nodes are kept DOWN until then. */
export interface RestState {
  readonly until: number;
  readonly reason: string;
}

interface Kept<T> {
  readonly version: number;
  readonly value: T;
}

/** Everything that is stored about a cluster. */
export interface ClusterRecords {
  readonly nodes: ReadonlyMap<string, Kept<NodeState>>;
  readonly orders: ReadonlyMap<string, Kept<OrderState>>;
  /** By the number of the set. */
  readonly rests: ReadonlyMap<number, Kept<RestState>>;
}

export const nodeKey = (cluster: string, name: string): string => `${cluster}/node/${name}`;
export const orderKey = (cluster: string, request_id: string): string => `${cluster}/order/${request_id}`;
export const restKey = (cluster: string, set: number): string => `${cluster}/rest/${set}`;

/** Reads the records of a cluster. */
export async function readCluster(records: ServiceRecords, cluster: string): Promise<ClusterRecords> {
  const all = await records.list();
  const of = <T>(kind: string): [string, Kept<T>][] => {
    const start = `${cluster}/${kind}/`;
    return all.flatMap(({ key, version, value }: ServiceRecord): [string, Kept<T>][] =>
      key.startsWith(start) ? [[key.slice(start.length), { version, value: value as T }]] : [],
    );
  };
  return {
    nodes: new Map(of<NodeState>('node')),
    orders: new Map(of<OrderState>('order')),
    rests: new Map(of<RestState>('rest').map(([set, kept]) => [Number(set), kept])),
  };
}
