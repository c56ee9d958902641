import { join, relative, resolve } from 'node:path';
import { writeProviderPackage } from '../../scaffold/write-package.ts';
import type { Cli } from '../cli.ts';

/** `muster plugins create provider`: writes the package and prints the next steps. */
export async function createProvider(
  name: string,
  directory: string | undefined,
  terminal: Cli['terminal'],
): Promise<void> {
  const folder = resolve(directory ?? name);
  const files = await writeProviderPackage(name, folder);
  const shown = relative(process.cwd(), folder) || '.';
  const path = shown.startsWith('.') ? shown : `./${shown}`;
  terminal.out(
    [
      ...files.map((file) => `  ${join(shown, file)}`),
      '',
      `1. Write launch, observe and release in ${join(shown, 'index.ts')}, and the calls of your cloud in ${join(shown, 'client.ts')}.`,
      `2. muster plugins test ${path}`,
      `3. Add ${path} to plugins in the configuration; muster plugins check ${path} checks whether it loads.`,
      '',
    ].join('\n'),
  );
}
