import { type Finding, isObject } from '../../../core/index.ts';
import { readNames } from './field-names.ts';
import { tagsFrom } from './tag-text.ts';

export interface RawTemplate {
  /** Native fields where HostFactory uses other names; other keys unchanged, for validation by the schema. */
  readonly fields: Record<string, unknown>;
  readonly findings: readonly Finding[];
}

type Convert = (value: unknown, fields: Record<string, unknown>) => unknown;

const textList = (value: unknown): unknown => {
  const items = typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value;
  return Array.isArray(items) ? items.filter((item) => item !== '') : items;
};

/** Fields whose values have another form in HostFactory. */
const conversions: Readonly<Record<string, readonly [field: string, convert: Convert]>> = {
  subnetId: ['subnet_ids', textList],
  subnetIds: ['subnet_ids', textList],
  securityGroupIds: ['security_group_ids', textList],
  instanceTags: ['tags', (value) => tagsFrom(value) ?? value],
  priceType: ['price_type', (value) => (value === 'heterogeneous' ? 'mixed' : value)],
  maxNumber: ['max_instances', numberOf],
  userData: ['user_data', (value) => (typeof value === 'string' ? userData(value) : value)],
  spotPrice: ['max_price', (value) => (Number(value) > 0 ? value : undefined)],
  requestValidity: ['spot_fleet_request_expiry', minutesOf],
  onDemandTargetCapacityRatio: ['percent_on_demand', percentOf],
  // 0 pools or interfaces: the template leaves the number open.
  poolsCount: ['pools_count', (value) => numberOf(value) || undefined],
  efaCount: ['efa_count', (value) => numberOf(value) || undefined],
  ebsOptimized: ['ebs_optimized', flagOf],
  ttl: ['lease', leaseSeconds],
};

/**
 * Converts one entry of a HostFactory file. An empty text or null in a known field counts as absent, as in files of
 * IBM.
 */
export function rawTemplate(entry: Readonly<Record<string, unknown>>, isKnown: (key: string) => boolean): RawTemplate {
  const fields: Record<string, unknown> = {};
  const findings: Finding[] = [];
  const names = new Map(readNames);
  for (const [key, value] of Object.entries(entry)) {
    if ((value === null || value === '') && isKnown(key)) continue;
    const conversion = conversions[key];
    const [field, convert] = conversion ?? [names.get(key) ?? key, (each: unknown) => each];
    const given = convert(value, fields);
    if (given === undefined) continue;
    if (field !== key && fields[field] !== undefined && JSON.stringify(fields[field]) !== JSON.stringify(given)) {
      findings.push({
        level: 'error',
        path: `/${key}`,
        message: `another key of this template sets '${field}' too, with a different value`,
      });
      continue;
    }
    fields[field] = given;
  }
  if (fields['replace_lost'] || fields['replaceLost']) {
    findings.push({
      level: 'error',
      path: '/replace_lost',
      message: 'HostFactory replaces lost machines itself; remove it',
    });
  }
  if (fields['on_rebalance'] === 'replace' || fields['onRebalance'] === 'replace') {
    findings.push({
      level: 'warning',
      path: '/on_rebalance',
      message:
        'HostFactory does not ask for a complete request again, so it learns that machines are replaced, and not by which; with `report` it requests the machines that it needs',
    });
  }
  if (
    ![undefined, null, '', 'complete', 'complete_with_error'].includes(
      entry['partialStatus'] as string | null | undefined,
    )
  )
    findings.push({ level: 'error', path: '/partialStatus', message: 'must be complete or complete_with_error' });
  resolveMachineTypes(fields, findings);
  return { fields, findings };
}

/** `vmTypes` takes precedence over `vmType`. LSF writes several types in `vmType`, separated by commas. */
function resolveMachineTypes(fields: Record<string, unknown>, findings: Finding[]): void {
  const type = fields['vmType'];
  if (typeof type !== 'string') return;
  const types = type
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  if (isObject(fields['machine_types'])) {
    delete fields['vmType'];
    findings.push({
      level: 'warning',
      path: '/vmType',
      message: `vmTypes names the machine types; '${type}' is ignored`,
    });
  } else if (types.length > 1) {
    delete fields['vmType'];
    fields['machine_types'] = Object.fromEntries(types.map((each) => [each, 1]));
  }
}

/** LSF counts the life span of a host in minutes, and 0 means none. */
function leaseSeconds(value: unknown): unknown {
  const minutes = numberOf(value);
  if (minutes === 0) return undefined;
  return typeof minutes === 'number' ? minutes * 60 : minutes;
}

/** Converts the LSF form `h:m`. */
function minutesOf(value: unknown): unknown {
  const [, hours, minutes] = /^(\d+):(\d{1,2})$/.exec(String(value)) ?? [];
  return hours === undefined ? numberOf(value) : Number(hours) * 60 + Number(minutes);
}

/** Converts the LSF form of a share, 0.0 to 1.0. */
function percentOf(value: unknown): unknown {
  const ratio = value === '' ? Number.NaN : Number(value);
  return ratio >= 0 && ratio <= 1 ? Math.round(ratio * 100) : value;
}

function numberOf(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
}

/** Converts a flag that is written as text. */
function flagOf(value: unknown): unknown {
  const word = String(value).toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : value;
}

/**
 * LSF writes user data as variables: `k=v;k=v`. They are converted to a script that exports them. Other user data is
 * used unchanged.
 */
function userData(given: string): string {
  const pairs = given.split(';').filter((pair) => pair.trim() !== '');
  const isVariables = pairs.length > 0 && pairs.every((pair) => /^\s*[A-Za-z_][A-Za-z0-9_]*=[^=]/.test(pair));
  if (!isVariables) return given;
  const lines = pairs.map((pair) => {
    const [name = '', ...value] = pair.trim().split('=');
    return `export ${name}='${value.join('=').replaceAll("'", "'\\''")}'`;
  });
  return Buffer.from(['#!/bin/sh', ...lines, ''].join('\n')).toString('base64');
}
