import { setImmediate as turn } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Call } from '../../../core/index.ts';
import type { InstanceSummary } from '../connection/answers/instance-summary.ts';
import { pagesOf } from '../connection/answers/pages.ts';
import type { CloudSession } from '../connection/session.ts';

/** The limits of one DescribeInstances call: values of a filter, and machines on a page. */
export const valuesPerFilter = 200;
export const machinesPerPage = 1000;
/** The most concurrent calls. The cloud limits the number of calls, not their concurrency. */
const maxConcurrent = 4;

export interface InstanceFilter {
  readonly Name: string;
  readonly Values: readonly string[];
}

/**
 * Machines that match all filters, page by page. Filters, not ids: one id that the cloud does not know yet would fail
 * the whole call. Always with a page size: calls without a page size draw on a smaller rate limit.
 */
export async function* instancePages(
  session: CloudSession,
  filters: readonly InstanceFilter[],
  call: Call,
): AsyncGenerator<InstanceSummary[]> {
  const Filters = filters.map(({ Name, Values }) => ({ Name, Values: [...Values] }));
  for await (const page of pagesOf((next) =>
    session.read((ec2) => new ec2.DescribeInstancesCommand({ Filters, MaxResults: machinesPerPage, ...next }), call),
  )) {
    yield (page.Reservations ?? []).flatMap((reservation) => reservation.Instances ?? []);
  }
}

/** All machines that match all filters. */
export async function describeInstances(
  session: CloudSession,
  filters: readonly InstanceFilter[],
  call: Call,
): Promise<InstanceSummary[]> {
  const found: InstanceSummary[] = [];
  for await (const page of instancePages(session, filters, call)) found.push(...page);
  return found;
}

/** A value of a filter, with the expected number of machines in its answer. */
export interface RequestedValue {
  readonly value: string;
  readonly machines: number;
}

/**
 * Packs values into as few calls as possible. The expected answer of each call fits on one page, so that no page waits
 * for the one before it, and no full page is followed by an empty one.
 */
export function packed(requested: readonly RequestedValue[]): string[][] {
  const packs: { values: string[]; machines: number }[] = [];
  for (const { value, machines } of requested.toSorted((a, b) => b.machines - a.machines)) {
    const open = packs.find(
      (pack) => pack.values.length < valuesPerFilter && pack.machines + machines < machinesPerPage,
    );
    if (open) {
      open.values.push(value);
      open.machines += machines;
    } else packs.push({ values: [value], machines });
  }
  return packs.map((pack) => pack.values);
}

/**
 * Runs tasks with limited concurrency, each from its own turn of the event loop: serializing a call with hundreds of
 * ids takes milliseconds. Results are in the order of the items. A rejection concerns only its own task.
 */
export function inTurn<T, R>(items: readonly T[], task: (item: T) => Promise<R>): Promise<PromiseSettledResult<R>[]> {
  const limit = pLimit(maxConcurrent);
  const begin = async (item: T): Promise<R> => {
    await turn();
    return task(item);
  };
  return Promise.allSettled(items.map((item) => limit(begin, item)));
}
