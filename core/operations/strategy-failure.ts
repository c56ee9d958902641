import { BrokerError } from '../contract/errors.ts';
import { recordContributor, pluginOf } from '../wiring/contributed-by.ts';
import { Broken } from '../providers/answer-checks/broken.ts';
import type { ListView, SchedulerStrategy, View } from '../contract/scheduler.ts';

/** A strategy that failed where it was to put something into words: a bug of its plugin. Its name is for the caller, the cause for the log. */
export function strategyFailed(
  { name }: Pick<SchedulerStrategy, 'name'>,
  plugin: string | undefined,
  what: string,
  cause: unknown,
): BrokerError {
  const whose = plugin === undefined ? '' : ` of plugin '${plugin}'`;
  const message = `Scheduler strategy '${name}'${whose} could not put the answer into words (${what}); the log has the cause. What was asked for is not undone.`;
  return new BrokerError('INTERNAL', message, { strategy: name, ...(plugin === undefined ? {} : { plugin }) }, { cause });
}

/** A strategy whose words are looked at: what it throws, and no answer at all, refuse the call with INTERNAL and a sentence that names it. */
export function inWords(strategy: SchedulerStrategy): SchedulerStrategy {
  const plugin = pluginOf(strategy);
  function said<T>(what: string, say: () => T): T {
    let words: T;
    try {
      words = say();
    } catch (error) {
      throw strategyFailed(strategy, plugin, what, error);
    }
    if (words === undefined) throw strategyFailed(strategy, plugin, what, new Broken('', words, 'something to show'));
    return words;
  }
  const view = <T>(what: string, of: View<T>): View<T> => ({ ...of, render: (value) => said(what, () => of.render(value)) });
  const listed: ListView<any> = {
    ...view('listed', strategy.listed),
    entry: (value) => said('listed', () => strategy.listed.entry(value)),
    around: (list, entries) => said('listed', () => strategy.listed.around(list, entries)),
  };
  const { statusWord } = strategy;
  const words: SchedulerStrategy = {
    ...strategy,
    requested: view('requested', strategy.requested),
    returned: view('returned', strategy.returned),
    status: view('status', strategy.status),
    templates: view('templates', strategy.templates),
    reclaims: view('reclaims', strategy.reclaims),
    listed,
    ...(statusWord ? { statusWord: (request) => said('status', () => statusWord.call(strategy, request)) } : {}),
  };
  if (plugin !== undefined) recordContributor(words, plugin);
  return words;
}
