import { checkPlugin } from '../check-plugin.ts';
import { checksOf } from '../runner.ts';
import { checkFiles } from './files.ts';
import { checkLists } from './lists.ts';
import { checkSchedulerManifest } from './manifest.ts';
import { strategyOf, type SchedulerSubject } from './subject.ts';
import { checkViews } from './views.ts';

/**
 * Checks every sentence of the contract of `SchedulerStrategy`, each as a test of its own: what its views render of
 * every situation that a request may be in, and what it reads of template files. What cannot be shown is a todo: what
 * is read, where no `files` are given; what is not recognised, without `strangers`. /
 */
export function testScheduler(subject: SchedulerSubject): void {
  const strategy = strategyOf(subject);
  const checks = checksOf(subject.test, `scheduler '${strategy.name}'`);
  checkPlugin(checks, subject.plugin);
  checkSchedulerManifest(checks, strategy);
  checkViews(checks, strategy);
  checkLists(checks, strategy);
  checkFiles(checks, strategy, subject);
}
