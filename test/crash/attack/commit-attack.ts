import { partMachines, type Attack } from '../campaign/kill-point.ts';

/** What is told of each transaction of a thread, and what ends or stops the process in one of them. */
export interface CommitAttack {
  readonly commits: number;
  /** A transaction began. */
  began(): void;
  /** It writes so many machines. */
  wrote(machines: number): void;
  /** It is about to be committed. */
  before(): void;
  /** Its commit was sent to another process. */
  sent(): void;
  /** Its commit is durable. */
  after(): void;
}

/** `end` ends or stops the process. */
export function commitAttack({ commit, part }: Attack, thread: 'interfaces' | 'loop', end: () => void): CommitAttack {
  let commits = 0;
  let parts = 0;
  let machines = 0;
  let dies: 'before' | 'sent' | 'after' | undefined;
  /** Once: a process that was stopped and continues is not stopped again. */
  const at = (phase: 'before' | 'sent' | 'after'): void => {
    if (dies !== phase) return;
    dies = undefined;
    end();
  };
  return {
    get commits() {
      return commits;
    },
    began: () => (machines = 0),
    wrote: (more) => (machines += more),
    before() {
      commits += 1;
      const isPart = machines >= partMachines;
      if (isPart) parts += 1;
      dies = commit?.thread === thread && commit.nth === commits ? commit.phase : undefined;
      if (isPart && thread === 'loop' && part?.nth === parts) dies = part.phase;
      at('before');
    },
    sent: () => at('sent'),
    after: () => at('after'),
  };
}
