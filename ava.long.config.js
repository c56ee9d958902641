import single from './ava.config.js';

/**
 * What takes long: real kills, every API under scenarios, the kits against faulty plugins, packages that are
 * installed.
 */
export default { ...single, files: ['test/**/*.long.test.ts'], timeout: '400s' };
