import { setImmediate as turn } from 'node:timers/promises';
import type { Instance } from '@aws-sdk/client-ec2';
import pLimit from 'p-limit';
import type { Call } from '../../../core/index.ts';
import { pagesOf } from '../connection/answers/pages.ts';
import type { CloudSession } from '../connection/session.ts';

/** EC2's limits of one DescribeInstances: values in a filter, machines on a page. */
export const valuesPerFilter = 200;
export const machinesPerPage = 1000;
/** Questions on their way at the same time. Their number, not their speed, is what the cloud counts. */
const atOnce = 4;

export interface InstanceFilter {
  readonly Name: string;
  readonly Values: readonly string[];
}

/**
 * Machines that all filters let through, page after page. Filters, never ids: one id that the cloud does not know yet
 * would make the whole question fail. Always with a page size: questions without one draw on a smaller bucket. /
 */
export async function* instancePages(
  session: CloudSession,
  filters: readonly InstanceFilter[],
  call: Call,
): AsyncGenerator<Instance[]> {
  const Filters = filters.map(({ Name, Values }) => ({ Name, Values: [...Values] }));
  for await (const page of pagesOf((next) =>
    session.read((ec2) => new ec2.DescribeInstancesCommand({ Filters, MaxResults: machinesPerPage, ...next }), call),
  )) {
    yield (page.Reservations ?? []).flatMap((reservation) => reservation.Instances ?? []);
  }
}

/** All of them at once. */
export async function describeInstances(
  session: CloudSession,
  filters: readonly InstanceFilter[],
  call: Call,
): Promise<Instance[]> {
  const found: Instance[] = [];
  for await (const page of instancePages(session, filters, call)) found.push(...page);
  return found;
}

/** What is asked for, and how many machines the answer is expected to have. */
export interface Asked {
  readonly value: string;
  readonly machines: number;
}

/**
 * Packs values into as few questions as fill their pages. Each fits on one page where the expectation holds, so that
 * no page waits for the one before it, and a full page does not bring an empty second one. /
 */
export function packed(asked: readonly Asked[]): string[][] {
  const packs: { values: string[]; machines: number }[] = [];
  for (const { value, machines } of asked.toSorted((a, b) => b.machines - a.machines)) {
    const room = packs.find(
      (pack) => pack.values.length < valuesPerFilter && pack.machines + machines < machinesPerPage,
    );
    if (room) {
      room.values.push(value);
      room.machines += machines;
    } else packs.push({ values: [value], machines });
  }
  return packs.map((pack) => pack.values);
}

/**
 * Runs tasks, a few at a time, each from a turn of its own: a call with hundreds of ids takes milliseconds to write.
 * Results in order. What is rejected stays with its task.
 */
export function inTurn<T, R>(items: readonly T[], task: (item: T) => Promise<R>): Promise<PromiseSettledResult<R>[]> {
  const limit = pLimit(atOnce);
  const begin = async (item: T): Promise<R> => {
    await turn();
    return task(item);
  };
  return Promise.allSettled(items.map((item) => limit(begin, item)));
}
