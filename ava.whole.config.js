import single from './ava.config.js';
import { groups } from './test/together/groups.ts';

/** All tests in fewer processes: starting one takes longer than most test files do. */
export default {
  ...single,
  files: [...single.files, ...Object.values(groups).map((pattern) => `!test/${pattern}`), 'test/together/*-[0-9].ts'],
};
