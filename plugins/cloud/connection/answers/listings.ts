import type { DescribeInstancesResult, DescribeInstanceStatusResult, InstanceStatusEvent } from '@aws-sdk/client-ec2';
import { frozen } from './frozen.ts';
import { instanceSummary, type InstanceSummary } from './instance-summary.ts';
import { packedInstance, unpackedInstance, type PackedInstance } from './packed-instance.ts';
import { statusSummary, type StatusSummary } from './status-summary.ts';

/** An operation whose answers list machines. `Row`: what is kept of each. */
export interface Listing<Page extends object = object, Row extends object = object, Packed = unknown> {
  /** The elements around the rows of the answer, from the outermost one. */
  readonly path: readonly [string, ...string[]];
  /** So many rows are parsed at once, which takes some milliseconds. */
  readonly rowsPerPiece: number;
  /** The rows of an answer, with what is kept of each. */
  rowsOf(page: Page): Row[];
  /** The field of an answer that has its rows. */
  fieldOf(rows: Row[]): Partial<Page>;
  /** Whether the machine neither starts nor ends, so that its row is likely to stay as it is. */
  isAtRest(row: Row): boolean;
  /**
   * The id of the machine and the rest of the text of its row, where rows differ in little but the ids of machines.
   * The rest decides what is read, except the id.
   */
  apart?(text: string): { readonly rest: string; readonly id?: string };
  /** A row as it is remembered: without parts of the text of its answer, which would keep all of it in memory. */
  packed(row: Row): Packed;
  /** `id`: of the machine, if it was taken apart from its row. */
  unpacked(packed: Packed, id?: string): Row;
}

const instances: Listing<DescribeInstancesResult, InstanceSummary, PackedInstance> = {
  path: ['reservationSet', 'item', 'instancesSet'],
  rowsPerPiece: 25,
  rowsOf: ({ Reservations = [] }) => Reservations.flatMap(({ Instances = [] }) => Instances.map(instanceSummary)),
  // Nothing is read from a reservation itself.
  fieldOf: (rows) => ({ Reservations: [{ Instances: rows }] }),
  isAtRest: ({ State }) => State?.Name === 'running' || State?.Name === 'stopped',
  packed: packedInstance,
  unpacked: unpackedInstance,
};

/** Nearly all of them say only that a machine runs, and differ in nothing but its id. */
const statuses: Listing<DescribeInstanceStatusResult, StatusSummary, StatusSummary> = {
  path: ['instanceStatusSet'],
  rowsPerPiece: 100,
  rowsOf: ({ InstanceStatuses = [] }) => InstanceStatuses.map(statusSummary),
  fieldOf: (rows) => ({ InstanceStatuses: rows }),
  isAtRest: ({ InstanceState }) => InstanceState?.Name === 'running',
  apart(text) {
    const [start = '', id] = /^<item>\s*<instanceId>([\w-]+)<\/instanceId>/.exec(text) ?? [];
    const rest = text.slice(start.length);
    return id === undefined || rest.includes('<instanceId') ? { rest: text } : { rest, id: copied(id) };
  },
  packed(row) {
    const { Events, ...copy } = JSON.parse(JSON.stringify(row)) as StatusSummary;
    return frozen(Events ? { ...copy, Events: Events.map(withDate) } : copy);
  },
  unpacked: (packed, id = packed.InstanceId) => ({ ...packed, InstanceId: id }),
};

/** A part of a text keeps all of it in memory. */
const copied = (part: string): string => Buffer.from(part).toString();

const withDate = (event: InstanceStatusEvent): InstanceStatusEvent =>
  event.NotBefore ? { ...event, NotBefore: new Date(event.NotBefore) } : event;

export const listings: ReadonlyMap<string, Listing> = new Map<string, Listing>([
  ['DescribeInstances', instances],
  ['DescribeInstanceStatus', statuses],
]);
