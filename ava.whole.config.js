import single from './ava.config.js';
import { groups } from './test/together/groups.ts';

/** All quick tests in few processes: the start of a process takes longer than most test files. */
export default {
  ...single,
  files: [...single.files, ...Object.values(groups).map((pattern) => `!test/${pattern}`), 'test/together/*-[0-9].ts'],
};
