/** `import … from 'muster/plugin-testkit'`: puts plugins to the test against the contracts of their extension points. */
export type { Runner } from './runner.ts';
