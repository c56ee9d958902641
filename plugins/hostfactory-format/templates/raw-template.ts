import { type Finding, isObject } from '../../../core/index.ts';
import { readNames } from './field-names.ts';
import { tagsFrom } from './tag-text.ts';

export interface RawTemplate {
  /** Ours where HostFactory says it differently; other keys as written, for the schema to know them or not. */
  readonly fields: Record<string, unknown>;
  readonly findings: readonly Finding[];
}

type Change = (value: unknown, fields: Record<string, unknown>) => unknown;

const textList = (value: unknown): unknown => {
  const items = typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value;
  return Array.isArray(items) ? items.filter((item) => item !== '') : items;
};

/** Fields whose values HostFactory writes differently. */
const changes: Readonly<Record<string, readonly [ours: string, change: Change]>> = {
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
};

/**
 * One entry of a HostFactory file in our own words. An empty text or null in a known field says nothing, as IBM's
 * files have it for what is not set.
 */
export function rawTemplate(entry: Readonly<Record<string, unknown>>, isKnown: (key: string) => boolean): RawTemplate {
  const fields: Record<string, unknown> = {};
  const findings: Finding[] = [];
  const names = new Map(readNames);
  for (const [key, value] of Object.entries(entry)) {
    if ((value === null || value === '') && isKnown(key)) continue;
    const changed = changes[key];
    const [ours, change] = changed ?? [names.get(key) ?? key, (each: unknown) => each];
    const given = change(value, fields);
    if (given === undefined) continue;
    if (ours !== key && fields[ours] !== undefined && JSON.stringify(fields[ours]) !== JSON.stringify(given)) {
      findings.push({
        level: 'error',
        path: `/${key}`,
        message: `another key of this template says '${ours}' too, with a different value`,
      });
      continue;
    }
    fields[ours] = given;
  }
  if (fields['replace_lost'] || fields['replaceLost']) {
    findings.push({
      level: 'error',
      path: '/replace_lost',
      message: 'HostFactory replaces lost machines itself; remove it',
    });
  }
  if (
    ![undefined, null, '', 'complete', 'complete_with_error'].includes(
      entry['partialStatus'] as string | null | undefined,
    )
  )
    findings.push({ level: 'error', path: '/partialStatus', message: 'must be complete or complete_with_error' });
  oneMachineType(fields, findings);
  return { fields, findings };
}

/** `vmType` beside `vmTypes`: the list wins. LSF writes several types in `vmType`, with commas. */
function oneMachineType(fields: Record<string, unknown>, findings: Finding[]): void {
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
      message: `vmTypes says which types may be had; '${type}' is ignored`,
    });
  } else if (types.length > 1) {
    delete fields['vmType'];
    fields['machine_types'] = Object.fromEntries(types.map((each) => [each, 1]));
  }
}

/** LSF's `h:m`. */
function minutesOf(value: unknown): unknown {
  const [, hours, minutes] = /^(\d+):(\d{1,2})$/.exec(String(value)) ?? [];
  return hours === undefined ? numberOf(value) : Number(hours) * 60 + Number(minutes);
}

/** LSF writes a share as 0.0 to 1.0. */
function percentOf(value: unknown): unknown {
  const ratio = value === '' ? Number.NaN : Number(value);
  return ratio >= 0 && ratio <= 1 ? Math.round(ratio * 100) : value;
}

function numberOf(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
}

/**
 * LSF writes user data as variables: `k=v;k=v`. They become a script that exports them; anything else is taken as it
 * is. /
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
