/**
 * Checks of the answers of the provider verbs. Each throws Broken with the path of the first violation. The contract
 * itself is in `core/contract/provider.ts`.
 */
import { isFault } from '../../contract/fault.ts';
import type { HostRef } from '../../contract/provider.ts';
import { Broken } from './broken.ts';
import { plain, newBudget } from './plain.ts';
import { report, reports, shortfalls } from './reports.ts';
import { amount, count, flag, object, optional, text, texts, time, optionalText } from './values.ts';

export function checkLaunch(value: unknown): void {
  const given = object(value, '', 'a launch: handle, settled, machines and shortfall');
  handle(given['handle'], '/handle');
  flag(given['settled'], '', '/settled');
  optional(given['machines'], (machines) => reports(machines, '/machines'));
  shortfalls(given['shortfall'], '/shortfall');
}

/** Checks one entry of the answer of `observe`. A fault is a valid entry. */
export function checkObservation(value: unknown, path: string): void {
  if (isFault(value)) return;
  const given = object(value, path, 'an observation or a ProviderFault');
  reports(given['machines'], `${path}/machines`);
  flag(given['settled'], path, '/settled');
  optional(given['stuck'], (stuck) => flag(stuck, path, '/stuck'));
  optional(given['handle'], (changed) => handle(changed, `${path}/handle`));
  shortfalls(given['shortfall'], `${path}/shortfall`);
}

/** With another number of entries the core cannot match them to the watched attempts. */
export function checkObservations(value: unknown, expected: number): void {
  if (!Array.isArray(value)) throw new Broken('', value, `a list of ${expected} observations`);
  if (value.length !== expected)
    throw new Broken('', value, `one entry for each of the ${expected} watched attempts, in their order`);
}

export function checkProgress(value: unknown): void {
  const given = object(value, '', 'progress: done, and again_ms when it is false');
  flag(given['done'], '', '/done');
  optional(given['again_ms'], (ms) => amount(ms, '', '/again_ms'));
}

/** undefined and null mean that nothing was found. */
export function checkFound(value: unknown): void {
  if (value !== undefined && value !== null) handle(value, '');
}

export const checkPrepared = (value: unknown): void => plain(value, '');

export const checkIdentity = (value: unknown): void => text(value, '', '');

export function checkPlaces(value: unknown): void {
  const given = object(value, '', 'regions and availability_zones');
  texts(given['regions'], '/regions');
  texts(given['availability_zones'], '/availability_zones');
}

export function checkMachineType(value: unknown): void {
  const given = object(value, '', 'a machine type');
  text(given['name'], '', '/name');
  for (const name of ['vcpus', 'cores', 'memory_mib']) amount(given[name], '', `/${name}`);
  optionalText(given['arch'], '', 'arch');
}

const ownedKinds: ReadonlySet<unknown> = new Set(['machine', 'container', 'launch_template']);

export function checkOwnedResource(value: unknown): void {
  const given = object(value, '', 'a resource');
  if (!ownedKinds.has(given['kind'])) throw new Broken('/kind', given['kind'], `one of ${[...ownedKinds].join(', ')}`);
  text(given['id'], '', '/id');
  optionalText(given['request_id'], '', 'request_id');
  optional(given['attempt'], (number) => count(number, '', '/attempt'));
  time(given['created_at'], '', '/created_at');
  optional(given['machine'], (machine) => report(machine, '/machine'));
}

/** The living hosts must be a part of the requested hosts. */
export function checkLivingHosts(value: unknown, requested: readonly HostRef[]): void {
  if (!Array.isArray(value)) throw new Broken('', value, 'a list of requested hosts');
  for (const [index, each] of value.entries()) {
    object(each, `/${index}`, 'a requested host');
    if (!requested.some((host) => sameHost(host, each as HostRef)))
      throw new Broken(`/${index}`, each, 'a requested host');
  }
}

export const sameHost = (a: HostRef, b: HostRef): boolean =>
  a === b || (a.machine_id === b.machine_id && a.name === b.name);

export function checkOffers(value: unknown): void {
  if (!Array.isArray(value)) throw new Broken('', value, 'a list of offers');
  const keys = new Set<unknown>();
  // The size limit counts for the whole list, because all offers are stored with each order.
  const budget = newBudget();
  for (const [index, each] of value.entries()) {
    const { key } = object(each, `/${index}`, 'an offer');
    text(key, `/${index}`, '/key');
    if (keys.has(key)) throw new Broken(`/${index}/key`, key, 'each key once');
    keys.add(key);
    plain(each, `/${index}`, budget);
  }
}

export function checkFindings(value: unknown): void {
  if (!Array.isArray(value)) throw new Broken('', value, 'a list of findings');
  for (const [index, each] of value.entries()) {
    const { level, path, message } = object(each, `/${index}`, 'a finding');
    if (level !== 'error' && level !== 'warning') throw new Broken(`/${index}/level`, level, `'error' or 'warning'`);
    if (typeof path !== 'string') throw new Broken(`/${index}/path`, path, 'a JSON pointer');
    text(message, `/${index}`, '/message');
  }
}

export const answerOf =
  (check: (value: unknown) => void) =>
  (value: unknown): void => {
    if (value !== undefined) check(value);
  };

export function checkBoolean(value: unknown): void {
  flag(value, '', '');
}

function handle(value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) throw new Broken(path, value, 'a JSON object');
  plain(value, path);
}
