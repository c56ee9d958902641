import type { DescribeInstancesResult, DescribeInstanceStatusResult, InstanceStatusEvent } from '@aws-sdk/client-ec2';
import { frozen } from './frozen.ts';
import { instanceSummary, type InstanceSummary } from './instance-summary.ts';
import { packedInstance, unpackedInstance, type PackedInstance } from './packed-instance.ts';
import { statusSummary, type StatusSummary } from './status-summary.ts';

/** What is kept of a machine. */
export interface Row {
  readonly InstanceId?: string | undefined;
}

/** An operation whose answers list machines. */
export interface Listing<Page extends object = object, Kept extends Row = Row, Packed = unknown> {
  /** The elements around the rows of the answer, from the outermost one. */
  readonly path: readonly [string, ...string[]];
  /** So many rows are parsed at once, which takes some milliseconds. */
  readonly rowsPerPiece: number;
  /** The rows of an answer, with what is kept of each. */
  rowsOf(page: Page): Kept[];
  /** The field of an answer that has its rows. */
  fieldOf(rows: Kept[]): Partial<Page>;
  /** Whether the machine neither starts nor ends, so that its row is likely to stay as it is. */
  isAtRest(row: Kept): boolean;
  /**
   * The id of the machine and the rest of the text of its row, where rows differ in little but the ids of machines.
   * Rows with the same rest are the same, except their ids.
   */
  apart?(text: string): { readonly rest: string; readonly id?: string };
  /** A row as it is remembered: without parts of the text of its answer, which would keep all of it in memory. */
  packed(row: Kept): Packed;
  /** `id`: of the machine, if it was taken apart from its row. */
  unpacked(packed: Packed, id?: string): Kept;
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

type PackedEvent = Omit<InstanceStatusEvent, 'NotBefore'> & { readonly NotBefore?: string };
type PackedStatus = Omit<StatusSummary, 'Events'> & { readonly Events?: readonly PackedEvent[] };

/** Nearly all of them say only that a machine runs, and differ in nothing but its id. */
const statuses: Listing<DescribeInstanceStatusResult, StatusSummary, PackedStatus> = {
  path: ['instanceStatusSet'],
  rowsPerPiece: 100,
  rowsOf: ({ InstanceStatuses = [] }) => InstanceStatuses.map(statusSummary),
  fieldOf: (rows) => ({ InstanceStatuses: rows }),
  isAtRest: ({ InstanceState }) => InstanceState?.Name === 'running',
  apart(text) {
    const [start = '', id] = /^<item>\s*<instanceId>([\w-]+)<\/instanceId>/.exec(text) ?? [];
    return { rest: text.slice(start.length), ...(id === undefined ? {} : { id: copied(id) }) };
  },
  packed: (row) => frozen(JSON.parse(JSON.stringify(row)) as PackedStatus),
  unpacked: ({ Events, ...packed }, id = packed.InstanceId) => ({
    ...packed,
    InstanceId: id,
    ...(Events && { Events: Events.map(withDate) }),
  }),
};

/** A part of a text keeps all of it in memory. */
const copied = (part: string): string => Buffer.from(part).toString();

const withDate = ({ NotBefore, ...event }: PackedEvent): InstanceStatusEvent =>
  NotBefore === undefined ? event : { ...event, NotBefore: new Date(NotBefore) };

export const listings: ReadonlyMap<string, Listing> = new Map<string, Listing>([
  ['DescribeInstances', instances],
  ['DescribeInstanceStatus', statuses],
]);
