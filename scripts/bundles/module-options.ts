import type { InputOptions, OutputOptions } from 'rolldown';

/** How modules for Node are read. */
export const moduleInput = {
  platform: 'node',
  tsconfig: false,
  logLevel: 'warn',
} as const satisfies InputOptions;

/** How modules for Node are written: code that several entries share exists once, so it has one state. */
export const moduleOutput = {
  format: 'esm',
  // Node keeps a text with other characters at two bytes for each.
  charset: 'ascii',
  comments: false,
  // A file names what it needs itself. Otherwise each would name all files that those need.
  hoistTransitiveImports: false,
} as const satisfies OutputOptions;
