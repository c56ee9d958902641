import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { CommonTemplate } from '../../core/model/template.ts';
import type { Operation } from '../../core/operations/operation.ts';
import { interactiveInput } from '../../core/operations/interactive-input.ts';
import { operations } from '../../core/operations/registry.ts';
import type { Declared } from '../../host/cli/operations/declared-operations.ts';
import { madeFile, root, type Page } from './page.ts';

const file = 'host/cli/operations/declared-operations.json';

/** The operations as the command line reads them. */
export const cliDeclarationsPage: Page = {
  name: 'cli-declarations',
  make: async () => [madeFile(file, () => formatted(JSON.stringify(declared(), null, 2)))],
};

function declared(): Declared {
  const all = (operations as readonly Operation<any, any>[]).flatMap((operation) => {
    const {
      name,
      kind,
      summary,
      cli,
      leaves_work = false,
      needs_loop = false,
      interactive_defaults: defaults = {},
    } = operation;
    if (!cli) return [];
    const { command, args = [], example } = cli;
    return [
      {
        name,
        kind,
        summary,
        command,
        args,
        example,
        input: interactiveInput(operation),
        defaults,
        leaves_work,
        needs_loop,
      },
    ];
  });
  // As JSON: a schema also carries values for its compiler.
  return JSON.parse(JSON.stringify({ operations: all, template: CommonTemplate })) as Declared;
}

/** As `npm run format` would leave it. */
function formatted(json: string): string {
  const biome = join(root, 'node_modules/.bin/biome');
  return execFileSync(biome, ['format', `--stdin-file-path=${file}`], { cwd: root, input: json, encoding: 'utf8' });
}
