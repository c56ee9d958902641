import { checkPlugin } from '../check-plugin.ts';
import { checksOf } from '../runner.ts';
import { checkFiles } from './files.ts';
import { checkLists } from './lists.ts';
import { checkSchedulerManifest } from './manifest.ts';
import { strategyOf, type SchedulerSubject } from './subject.ts';
import { checkViews } from './views.ts';

/**
 * Checks every rule of the contract of `SchedulerStrategy`, each as a separate test: what its views render in every
 * situation of a request, and how it reads template files. Reading is a todo without `files`, rejection of other
 * files a todo without `foreignFiles`.
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
