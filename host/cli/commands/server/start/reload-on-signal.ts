import { isDeepStrictEqual } from 'node:util';
import type { Configuration } from '../../../../../config/configuration.ts';
import type { LoadedConfiguration } from '../../../../../config/load.ts';
import { budgetOf } from '../../../../../core/budgets/budget.ts';
import { sentence } from '../../../../../core/contract/findings.ts';
import type { Log } from '../../../../../core/contract/log.ts';
import type { LastReload } from '../../../../data-directory/last-reload.ts';
import type { RunningServer } from '../../../../http/serve-options.ts';

/** The signal with which a server reads its configuration again. SIGHUP ends it, as when its terminal is closed. */
export const reloadSignal = 'SIGUSR2';

/** The parts of the configuration that a running server takes over; each other part needs a restart. */
const reloadable: readonly (keyof Configuration)[] = ['budgets'];

/** The parts in which two configurations differ: those that a running server takes over, and those that it does not. */
export function changedParts(
  running: Configuration,
  read: Configuration,
): Pick<LastReload, 'applied' | 'needs_restart'> {
  const changed = (Object.keys(read) as (keyof Configuration)[]).filter(
    (part) => !isDeepStrictEqual(running[part], read[part]),
  );
  return {
    applied: changed.filter((part) => reloadable.includes(part)),
    needs_restart: changed.filter((part) => !reloadable.includes(part)),
  };
}

/** A change of the configuration may come with one of templates, which the server takes over and logs by itself. */
const refused =
  'The configuration was read again and cannot be used: the server continues with the one that it has. Template files are no part of it, and are read whenever they change.';

export interface Reloading {
  /** The configuration with which the server was started. */
  readonly loaded: LoadedConfiguration;
  readonly log: Log;
  /** The server, when it runs. A signal that comes before waits for it. */
  readonly server: Promise<Pick<RunningServer, 'useBudgets'>>;
  /** Reads the configuration as at the start. */
  load(): Promise<LoadedConfiguration>;
  /** Tells the outcome to the command that sent the signal. */
  tell(outcome: LastReload): void;
}

/**
 * Reads the configuration again at each `reloadSignal`, and takes over what changes without a restart. A configuration
 * that cannot be used changes nothing.
 */
export function reloadOnSignal({ loaded, log, server, load, tell }: Reloading): void {
  let running = loaded.configuration;
  let before: Promise<void> = Promise.resolve();

  async function reload(): Promise<void> {
    const { useBudgets } = await server;
    const began_at = Date.now();
    const outcome = await read(useBudgets).catch((error: unknown): Omit<LastReload, 'pid' | 'began_at'> => {
      const message = error instanceof Error ? error.message : String(error);
      log.error({}, `${refused} ${message}`);
      return { applied: [], needs_restart: [], error: message };
    });
    tell({ pid: process.pid, began_at, ...outcome });
  }

  async function read(useBudgets: RunningServer['useBudgets']): Promise<Omit<LastReload, 'pid' | 'began_at'>> {
    const { configuration, findings } = await load();
    for (const finding of findings) log.warn({}, sentence(finding));
    const parts = changedParts(running, configuration);
    if (parts.applied.includes('budgets')) await useBudgets(configuration.budgets.map(budgetOf));
    running = { ...running, budgets: configuration.budgets };
    log.info(parts, 'The configuration was read again.');
    return parts;
  }

  // One after the other: each reads what was written before its signal.
  process.on(reloadSignal, () => {
    before = before
      .then(reload)
      .catch((err: unknown) => log.error({ err }, 'The outcome of a reload could not be written.'));
  });
}
