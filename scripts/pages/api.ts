import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { mentionedBy, surfaceOf, type Exported } from './api/surface.ts';
import { generated, madeFile, root, type MadeFile, type Page } from './page.ts';

/** The public surface: review sees every change of it as a change of this page. */
export const apiPage: Page = {
  name: 'api',
  // The test of the package has declarations already: it builds the package.
  tested_in: 'test/package/package.long.test.ts',
  make: async () => {
    const directory = mkdtempSync(join(tmpdir(), 'muster-api-'));
    try {
      return [apiReport(emitted(directory))];
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

/** The page, made from the declarations that tsc emitted to `dist`. */
export const apiReport = (dist: string): MadeFile => madeFile('docs/reference/api.md', () => reportOf(dist));

interface Entry {
  readonly name: string;
  readonly names: readonly Exported[];
}

function reportOf(dist: string): string {
  const { name: own, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  const entries = Object.entries(exports).flatMap(([path, to]): Entry[] =>
    typeof to === 'string'
      ? []
      : [{ name: `${own}${path.slice(1)}`, names: surfaceOf(join(dist, relative('dist', to.types))) }],
  );
  const told = new Set<string>();
  const parts = entries.map(({ name, names }) => {
    const again = names.filter((each) => told.has(keyOf(each)));
    const fresh = names.filter((each) => !told.has(keyOf(each)));
    for (const each of names) told.add(keyOf(each));
    const as = again.length === 0 ? '' : `As above: ${again.map((each) => `\`${each.name}\``).join(', ')}.\n\n`;
    return `## ${name}\n\n${as}${listed(fresh, dist)}`;
  });
  const mentioned = mentionedBy(entries.flatMap(({ names }) => names));
  return `# The public surface\n\n${generated('api', 'the declarations')}\n\nWhat \`import\` from muster gives, by entry point: every name with its declaration. Anything else may change without notice.\n\n${parts.join('')}## Mentioned, not exported\n\nThe declarations above refer to these types. They cannot be imported by name.\n\n${listed(mentioned, dist)}`.replace(
    /\n+$/,
    '\n',
  );
}

const keyOf = ({ name, source }: Exported): string => `${name}#${source.from}#${source.name}`;

function listed(names: readonly Exported[], dist: string): string {
  const blocks = names.map(({ name, source, declared, about }) => {
    if (declared.length === 0)
      return `export { ${source.name === name ? name : `${source.name} as ${name}`} } from '${source.from}';`;
    const from =
      source.name === name ? '' : `// ${source.name} of ${relative(dist, source.from).replace('.d.ts', '.ts')}\n`;
    const value = declared.some((text) => /^(?:abstract )?(?:const|class|function) /.test(text));
    const only = source.typeOnly && value ? '// exported as a type only\n' : '';
    return `${about === undefined ? '' : `/** ${about} */\n`}${from}${only}${declared.join('\n')}`;
  });
  return blocks.length === 0 ? '' : `\`\`\`ts\n${blocks.join('\n\n')}\n\`\`\`\n\n`;
}

/** Emits the declarations of `npm run build`, without checking types: `npm run typecheck` does. */
function emitted(directory: string): string {
  const tsc = join(root, 'node_modules/.bin/tsc');
  const options = [
    '-p',
    'tsconfig.build.json',
    '--emitDeclarationOnly',
    '--noCheck',
    '--checkers',
    '1',
    '--outDir',
    directory,
  ];
  const { status, stdout } = spawnSync(tsc, options, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`tsc could not emit declarations: ${stdout}`);
  return directory;
}
