/**
 * Loaded before everything else in every thread of a broker: kills the process at a commit, as soon as a file says at
 * which one. Counted are the commits of a thread since the file is there, so that the steps of one call are met.
 */
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { attackSqlite } from '../../../crash/attack/attack-sqlite.ts';
import type { Armed } from './armed.ts';

const file = process.env['ARMED_FILE'] ?? '';
const thread = isMainThread ? 'interfaces' : 'loop';
const end = () => void process.kill(process.pid, 'SIGKILL');
let commits = 0;
let dies: Armed['phase'] | undefined;

function armed(): Armed | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Armed;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

attackSqlite({
  get commits() {
    return commits;
  },
  began: () => undefined,
  wrote: () => undefined,
  sent: () => undefined,
  before() {
    const point = armed();
    commits = point?.thread === thread ? commits + 1 : 0;
    dies = point?.thread === thread && point.nth === commits ? point.phase : undefined;
    if (dies === 'before') end();
  },
  after() {
    if (dies === 'after') end();
  },
});
