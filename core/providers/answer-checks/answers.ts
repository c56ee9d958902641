/**
 * Checks of the answers of the provider verbs. Each throws ContractViolation with the path of the first violation.
 * The contract itself is in `core/contract/provider/`.
 */
import { isFault } from '../../contract/fault.ts';
import type { HostRef } from '../../contract/provider/resources.ts';
import { markets } from '../../model/market.ts';
import { ContractViolation } from './contract-violation.ts';
import { assertPlain, newBudget } from './assert-plain.ts';
import { report, reports, shortfalls } from './reports.ts';
import { soundFault } from './sound-fault.ts';
import {
  assertAmount,
  assertCount,
  assertBoolean,
  assertObject,
  checkOptional,
  assertText,
  assertTexts,
  assertOptionalTime,
  assertOptionalText,
} from './assertions.ts';

export function checkLaunch(value: unknown): void {
  const given = assertObject(value, '', 'a launch: handle, settled, machines and shortfall');
  handle(given['handle'], '/handle');
  assertBoolean(given['settled'], '', '/settled');
  checkOptional(given['machines'], (machines) => reports(machines, '/machines'));
  shortfalls(given['shortfall'], '/shortfall');
}

/** Checks one entry of the answer of `observe`. A fault that can be read is a valid entry. */
export function checkObservation(value: unknown, path: string): void {
  if (isFault(value)) return void soundFault(value);
  const given = assertObject(value, path, 'an observation or a ProviderFault');
  reports(given['machines'], `${path}/machines`);
  assertBoolean(given['settled'], path, '/settled');
  checkOptional(given['stuck'], (stuck) => assertBoolean(stuck, path, '/stuck'));
  checkOptional(given['handle'], (changed) => handle(changed, `${path}/handle`));
  shortfalls(given['shortfall'], `${path}/shortfall`);
}

/** With another number of entries the core cannot match them to the watched attempts. */
export function checkObservations(value: unknown, expected: number): void {
  if (!Array.isArray(value)) throw new ContractViolation('', value, `a list of ${expected} observations`);
  if (value.length !== expected)
    throw new ContractViolation('', value, `one entry for each of the ${expected} watched attempts, in their order`);
}

export function checkProgress(value: unknown): void {
  const given = assertObject(value, '', 'progress: done, and again_ms when it is false');
  assertBoolean(given['done'], '', '/done');
  checkOptional(given['again_ms'], (ms) => assertAmount(ms, '', '/again_ms'));
}

/** undefined and null mean that nothing was found. */
export function checkFound(value: unknown): void {
  if (value !== undefined && value !== null) handle(value, '');
}

export const checkPrepared = (value: unknown): void => assertPlain(value, '');

export const checkIdentity = (value: unknown): void => assertText(value, '', '');

export function checkPlaces(value: unknown): void {
  const given = assertObject(value, '', 'regions and availability_zones');
  assertTexts(given['regions'], '/regions');
  assertTexts(given['availability_zones'], '/availability_zones');
  checkOptional(given['zone_of'], (zones) =>
    assertTexts(Object.values(assertObject(zones, '/zone_of', 'a zone for each place')), '/zone_of'),
  );
}

export function checkMachineType(value: unknown): void {
  const given = assertObject(value, '', 'a machine type');
  assertText(given['name'], '', '/name');
  for (const name of ['vcpus', 'cores', 'memory_mib']) assertAmount(given[name], '', `/${name}`);
  assertOptionalText(given['arch'], '', 'arch');
}

export function checkOfferTerms(value: unknown, expected: number): void {
  if (!Array.isArray(value) || value.length !== expected)
    throw new ContractViolation('', value, `one entry for each of the ${expected} offers, in their order`);
  for (const [index, each] of value.entries()) {
    const { market, vcpus, price } = assertObject(each, `/${index}`, 'the terms of an offer');
    if (market !== undefined && !(markets as readonly unknown[]).includes(market))
      throw new ContractViolation(`/${index}/market`, market, `one of ${markets.join(', ')}`);
    checkOptional(vcpus, (count) => assertAmount(count, `/${index}`, '/vcpus'));
    checkOptional(price, (given) =>
      assertAmount(
        assertObject(given, `/${index}/price`, 'a price')['usd_per_hour'],
        `/${index}/price`,
        '/usd_per_hour',
      ),
    );
  }
}

const ownedKinds: ReadonlySet<unknown> = new Set(['machine', 'container', 'launch_template']);

export function checkOwnedResource(value: unknown): void {
  const given = assertObject(value, '', 'a resource');
  if (!ownedKinds.has(given['kind']))
    throw new ContractViolation('/kind', given['kind'], `one of ${[...ownedKinds].join(', ')}`);
  assertText(given['id'], '', '/id');
  assertOptionalText(given['request_id'], '', 'request_id');
  checkOptional(given['attempt'], (number) => assertCount(number, '', '/attempt'));
  assertOptionalTime(given['created_at'], '', '/created_at');
  checkOptional(given['machine'], (machine) => report(machine, '/machine'));
}

/** The living hosts must be a part of the requested hosts. */
export function checkLivingHosts(value: unknown, requested: readonly HostRef[]): void {
  if (!Array.isArray(value)) throw new ContractViolation('', value, 'a list of requested hosts');
  for (const [index, each] of value.entries()) {
    assertObject(each, `/${index}`, 'a requested host');
    if (!requested.some((host) => sameHost(host, each as HostRef)))
      throw new ContractViolation(`/${index}`, each, 'a requested host');
  }
}

export const sameHost = (a: HostRef, b: HostRef): boolean =>
  a === b || (a.machine_id === b.machine_id && a.name === b.name);

export function checkOffers(value: unknown): void {
  if (!Array.isArray(value)) throw new ContractViolation('', value, 'a list of offers');
  const keys = new Set<unknown>();
  // The size limit counts for the whole list, because all offers are stored with each order.
  const budget = newBudget();
  for (const [index, each] of value.entries()) {
    const { key } = assertObject(each, `/${index}`, 'an offer');
    assertText(key, `/${index}`, '/key');
    if (keys.has(key)) throw new ContractViolation(`/${index}/key`, key, 'each key once');
    keys.add(key);
    assertPlain(each, `/${index}`, budget);
  }
}

export function checkFindings(value: unknown): void {
  if (!Array.isArray(value)) throw new ContractViolation('', value, 'a list of findings');
  for (const [index, each] of value.entries()) {
    const { level, path, message } = assertObject(each, `/${index}`, 'a finding');
    if (level !== 'error' && level !== 'warning')
      throw new ContractViolation(`/${index}/level`, level, `'error' or 'warning'`);
    if (typeof path !== 'string') throw new ContractViolation(`/${index}/path`, path, 'a JSON pointer');
    assertText(message, `/${index}`, '/message');
  }
}

export const answerOf =
  (check: (value: unknown) => void) =>
  (value: unknown): void => {
    if (value !== undefined) check(value);
  };

export function checkBoolean(value: unknown): void {
  assertBoolean(value, '', '');
}

function handle(value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) throw new ContractViolation(path, value, 'a JSON object');
  assertPlain(value, path);
}
