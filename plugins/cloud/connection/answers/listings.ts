import type { DescribeInstancesResult, DescribeInstanceStatusResult, InstanceStatusEvent } from '@aws-sdk/client-ec2';
import { instanceSummary, type InstanceSummary } from './instance-summary.ts';
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
  /** A row as it is remembered: without parts of the text of its answer, which would keep all of it in memory. */
  packed(row: Row): Packed;
  unpacked(packed: Packed): Row;
}

const instances: Listing<DescribeInstancesResult, InstanceSummary, string> = {
  path: ['reservationSet', 'item', 'instancesSet'],
  rowsPerPiece: 25,
  rowsOf: ({ Reservations = [] }) => Reservations.flatMap(({ Instances = [] }) => Instances.map(instanceSummary)),
  // Nothing is read from a reservation itself.
  fieldOf: (rows) => ({ Reservations: [{ Instances: rows }] }),
  isAtRest: ({ State }) => State?.Name === 'running' || State?.Name === 'stopped',
  // JSON takes a third of the memory of its objects.
  packed: (row) => JSON.stringify(row),
  unpacked(packed) {
    const row = JSON.parse(packed) as InstanceSummary;
    return row.LaunchTime ? { ...row, LaunchTime: new Date(row.LaunchTime) } : row;
  },
};

/** Most of them say only that a machine runs: those are remembered as its id, which all answers share. */
const statuses: Listing<DescribeInstanceStatusResult, StatusSummary, string | StatusSummary> = {
  path: ['instanceStatusSet'],
  rowsPerPiece: 100,
  rowsOf: ({ InstanceStatuses = [] }) => InstanceStatuses.map(statusSummary),
  fieldOf: (rows) => ({ InstanceStatuses: rows }),
  isAtRest: ({ InstanceState }) => InstanceState?.Name === 'running',
  packed(row) {
    const { Events, ...copy } = JSON.parse(JSON.stringify(row)) as StatusSummary;
    if (Events) return { ...copy, Events: Events.map(withDate) };
    return copy.InstanceState?.Name === 'running' && copy.InstanceId !== undefined ? copy.InstanceId : copy;
  },
  unpacked: (packed) =>
    typeof packed === 'string' ? { InstanceId: packed, InstanceState: { Name: 'running' } } : { ...packed },
};

const withDate = (event: InstanceStatusEvent): InstanceStatusEvent =>
  event.NotBefore ? { ...event, NotBefore: new Date(event.NotBefore) } : event;

export const listings: ReadonlyMap<string, Listing> = new Map<string, Listing>([
  ['DescribeInstances', instances],
  ['DescribeInstanceStatus', statuses],
]);
