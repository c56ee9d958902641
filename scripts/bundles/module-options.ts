import type { BuildOptions } from 'esbuild';

/** How modules for Node are bundled. */
export const moduleOptions = {
  bundle: true,
  // Code that several entries share exists once: it has one state, and what is imported later is loaded later.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  outExtension: { '.js': '.mjs' },
  logLevel: 'error',
} as const satisfies BuildOptions;
