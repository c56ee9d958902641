import single from './ava.config.js';

/**
 * What takes long: real kills, every API under scenarios, the kits against faulty plugins, packages that are
 * installed; and all variants of tests of which the quick run takes some.
 */
export default {
  ...single,
  files: ['test/**/*.long.test.ts', 'test/**/*.variants.test.ts'],
  environmentVariables: { ...single.environmentVariables, TEST_VARIANTS: 'all' },
  timeout: '400s',
};
