import { BrokerError } from '../contract/errors.ts';
import { recordContributor, pluginOf } from '../wiring/contributed-by.ts';
import { assertAtOnce } from '../providers/answer-checks/assertions.ts';
import { ContractViolation } from '../providers/answer-checks/contract-violation.ts';
import type { ListView, SchedulerStrategy, View } from '../contract/scheduler.ts';

/**
 * A failure of a strategy to render: a bug of its plugin. The caller sees the name of the strategy, the log has the
 * cause.
 */
export function strategyFailed(
  { name }: Pick<SchedulerStrategy, 'name'>,
  plugin: string | undefined,
  what: string,
  cause: unknown,
): BrokerError {
  const contributor = plugin === undefined ? '' : ` of plugin '${plugin}'`;
  const message = `Scheduler strategy '${name}'${contributor} failed to render the answer (${what}); the log has the cause. The effect of the call is not undone.`;
  return new BrokerError(
    'INTERNAL',
    message,
    { strategy: name, ...(plugin === undefined ? {} : { plugin }) },
    { cause },
  );
}

/**
 * A strategy whose views are checked: when a view throws, or returns undefined or a promise, the call fails with
 * INTERNAL and a message that names the strategy.
 */
export function guardedStrategy(strategy: SchedulerStrategy): SchedulerStrategy {
  const plugin = pluginOf(strategy);
  function checked<T>(what: string, render: () => T): T {
    try {
      const rendered = render();
      if (rendered === undefined) throw new ContractViolation('', rendered, 'a rendered answer');
      assertAtOnce(rendered);
      return rendered;
    } catch (error) {
      throw strategyFailed(strategy, plugin, what, error);
    }
  }
  const view = <T>(what: string, of: View<T>): View<T> => ({
    ...of,
    render: (value) => checked(what, () => of.render(value)),
  });
  const listed: ListView<any> = {
    ...view('listed', strategy.listed),
    entry: (value) => checked('listed', () => strategy.listed.entry(value)),
    around: (list, entries) => checked('listed', () => strategy.listed.around(list, entries)),
  };
  const { statusWord } = strategy;
  const guarded: SchedulerStrategy = {
    ...strategy,
    requested: view('requested', strategy.requested),
    returned: view('returned', strategy.returned),
    status: view('status', strategy.status),
    templates: view('templates', strategy.templates),
    reclaims: view('reclaims', strategy.reclaims),
    listed,
    ...(statusWord ? { statusWord: (request) => checked('status', () => statusWord.call(strategy, request)) } : {}),
  };
  if (plugin !== undefined) recordContributor(guarded, plugin);
  return guarded;
}
