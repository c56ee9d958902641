import { faultKinds } from '../../contract/fault.ts';
import { machineStatuses } from '../../model/machine.ts';
import { markets } from '../../model/market.ts';
import { priceSources } from '../../model/cost/price.ts';
import { ContractViolation } from './contract-violation.ts';
import { assertPlain } from './assert-plain.ts';
import {
  assertCount,
  assertBoolean,
  assertKnown,
  assertObject,
  checkOptional,
  assertOptionalTime,
  assertOptionalText,
  assertShortText,
} from './assertions.ts';

/** Everything in a report is stored, and shown with each status: a plugin shortens what its provider says. */
const longestId = 256;
const longestText = 1_000;
const longestMessage = 20_000;
/** In US dollars for an hour. */
const highestPrice = 1_000_000;
/** One for each offer, at most: no template has more of them. */
const mostShortfalls = 10_000;

const statuses: ReadonlySet<unknown> = new Set(machineStatuses);
const kinds: ReadonlySet<unknown> = new Set(faultKinds);

/**
 * Checks a list of machine reports, in which each machine occurs once. Every answer is checked, and a list may have
 * ten thousand entries.
 */
export function reports(value: unknown, path: string): void {
  if (!Array.isArray(value)) throw new ContractViolation(path, value, 'a list of machine reports');
  const ids = new Set<string>();
  for (let index = 0; index < value.length; index++) {
    const given: unknown = value[index];
    // The path is only built for an error.
    try {
      report(given, '');
      const { machine_id } = given as { readonly machine_id: string };
      if (ids.has(machine_id)) throw new ContractViolation('/machine_id', machine_id, 'each machine once');
      ids.add(machine_id);
    } catch (error) {
      if (!(error instanceof ContractViolation)) throw error;
      report(given, `${path}/${index}`);
      throw new ContractViolation(
        `${path}/${index}/machine_id`,
        (given as { readonly machine_id: string }).machine_id,
        'each machine once',
      );
    }
  }
}

/** Checks the report about one machine. */
export function report(value: unknown, path: string): void {
  const given = assertObject(value, path, 'a machine report');
  assertShortText(given['machine_id'], path, '/machine_id', longestId);
  if (!statuses.has(given['status']))
    throw new ContractViolation(`${path}/status`, given['status'], `one of ${machineStatuses.join(', ')}`);
  assertBoolean(given['ready'], path, '/ready');
  if (given['ready'] === true && given['status'] !== 'running')
    throw new ContractViolation(
      `${path}/ready`,
      `true while the status is ${String(given['status'])}`,
      'a machine that is ready to be running',
    );
  for (const name of texts) assertOptionalText(given[name], path, name, longestText);
  assertOptionalText(given['message'], path, 'message', longestMessage);
  assertOptionalTime(given['launched_at'], path, '/launched_at');
  assertOptionalTime(given['ended_at'], path, '/ended_at');
  if (given['reclaim_at'] !== null) assertOptionalTime(given['reclaim_at'], path, '/reclaim_at');
  const { market, price, data } = given;
  if (market !== undefined && !markets.some((each) => each === market))
    throw new ContractViolation(`${path}/market`, market, `one of ${markets.join(', ')}, or nothing`);
  checkOptional(price, (given) => checkPrice(given, `${path}/price`));
  if (data === undefined) return;
  assertObject(data, `${path}/data`, 'a JSON object or nothing');
  assertPlain(data, `${path}/data`);
}

function checkPrice(value: unknown, path: string): void {
  const { usd_per_hour, source } = assertObject(value, path, 'a price or nothing');
  if (typeof usd_per_hour !== 'number' || !(usd_per_hour >= 0 && usd_per_hour <= highestPrice))
    throw new ContractViolation(
      `${path}/usd_per_hour`,
      usd_per_hour,
      `a number of US dollars from 0 to ${highestPrice}`,
    );
  if (!priceSources.some((each) => each === source))
    throw new ContractViolation(`${path}/source`, source, `one of ${priceSources.join(', ')}`);
}

const texts = ['name', 'assigned_name', 'private_ip', 'public_ip', 'machine_type', 'zone'] as const;

/** Checks the reasons for missing machines, if there are any. */
export function shortfalls(value: unknown, path: string): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || value.length > mostShortfalls)
    throw new ContractViolation(path, value, `a list of at most ${mostShortfalls} shortfalls, or nothing`);
  for (const [index, each] of value.entries()) {
    const at = `${path}/${index}`;
    const given = assertObject(each, at, 'a shortfall');
    assertOptionalText(given['offer'], at, 'offer');
    assertKnown(given['kind'], kinds, at, '/kind', faultKinds);
    assertShortText(given['code'], at, '/code', longestId);
    assertShortText(given['message'], at, '/message', longestMessage);
    checkOptional(given['count'], (number) => assertCount(number, at, '/count'));
  }
}
