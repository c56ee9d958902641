import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommonTemplate } from '../core/model/template.ts';
import type { Operation } from '../core/operations/operation.ts';
import { interactiveInput } from '../core/operations/interactive-input.ts';
import { operations } from '../core/operations/registry.ts';
import type { Declared } from '../host/cli/operations/declared-operations.ts';

const file = join(import.meta.dirname, '../host/cli/operations/declared-operations.json');

/** The operations as the command line reads them, made anew from the registry. */
export function cliDeclarations(): Declared {
  const declared = (operations as readonly Operation<any, any>[]).flatMap((operation) => {
    const { name, kind, summary, cli, leaves_work = false, needs_loop = false, interactive_defaults: defaults = {} } = operation;
    if (!cli) return [];
    const { command, args = [], example } = cli;
    return [{ name, kind, summary, command, args, example, input: interactiveInput(operation), defaults, leaves_work, needs_loop }];
  });
  // As JSON: what a schema carries beside it is for the one who compiles it.
  return JSON.parse(JSON.stringify({ operations: declared, template: CommonTemplate })) as Declared;
}

if (import.meta.main) {
  writeFileSync(file, JSON.stringify(cliDeclarations(), null, 2));
  execFileSync(join(import.meta.dirname, '../node_modules/.bin/biome'), ['format', '--write', file]);
}
