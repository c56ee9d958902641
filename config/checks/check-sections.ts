import type { TObject } from 'typebox';
import type { Finding } from '../../core/contract/findings.ts';
import { compile } from '../../core/schema/compile.ts';
import { hint } from '../../core/schema/spelling.ts';
import type { StorageDriver } from '../../core/contract/storage.ts';
import { notContributed } from '../plugins/contributed-by.ts';
import { defaultStorage } from '../setting-defaults.ts';

type Tree = Readonly<Record<string, unknown>>;

/** Checks the storage section with the schema of its driver and fills in defaults. Unknown options are errors. */
export function checkStorage(
  given: Tree,
  drivers: readonly StorageDriver<any>[],
  findings: Finding[],
): { readonly type: string } {
  const { type = defaultStorage, ...options } = given;
  const driver = drivers.find((each) => each.type === type);
  if (!driver) {
    const known = drivers.map((each) => each.type);
    const message = typeof type === 'string' ? notContributed('storage', type, known) : 'must be a string';
    findings.push({ level: 'error', path: '/storage/type', message });
    return { type: String(type) };
  }
  const schema = driver.options as TObject;
  const parsed = compile(schema).parse(options);
  findings.push(...(parsed.findings ?? []).map((finding) => ({ ...finding, path: `/storage${finding.path}` })));
  const known = Object.keys(schema.properties);
  const open = (schema as { additionalProperties?: unknown }).additionalProperties !== undefined;
  for (const name of open ? [] : Object.keys(compile(schema).canonical(options).value as object)) {
    if (!known.includes(name))
      findings.push({
        level: 'error',
        path: `/storage/${name}`,
        message: `unknown field${hint(name, ['type', ...known])}`,
      });
  }
  return { ...(parsed.value as object | undefined), type: driver.type };
}

/** Adds a finding when no loaded plugin contributes the scheduler strategy. */
export function checkScheduler(name: unknown, known: readonly string[], findings: Finding[]): void {
  if (typeof name !== 'string' || known.includes(name)) return;
  findings.push({
    level: 'error',
    path: '/scheduler',
    message: notContributed('scheduler strategy', name, known),
  });
}
