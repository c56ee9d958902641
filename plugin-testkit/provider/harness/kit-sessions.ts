import { systemClock, type Log } from '../../../core/index.ts';
import { formatValue } from '../answers/format.ts';
import { delivered } from '../answers/outcome.ts';
import type { ProviderWorld } from '../provider-kit.ts';
import type { Subject } from '../subject.ts';

/** The sessions that a check opens in a world, and what the plugin writes to its log. */
export class KitSessions<World extends ProviderWorld = any> {
  readonly #subject: Subject<World>;
  readonly #world: World;
  readonly #opened: unknown[] = [];
  readonly lines: string[] = [];
  readonly log: Log;

  constructor(subject: Subject<World>, world: World) {
    this.#subject = subject;
    this.#world = world;
    const line = (fields: object, message: string) => void this.lines.push(`${message} ${formatValue(fields)}`);
    this.log = { debug: line, info: line, warn: line, error: line };
  }

  async connect(config: Readonly<Record<string, unknown>>, installation: string): Promise<any> {
    const { type } = this.#subject;
    const session = await delivered('connect', () =>
      type.connect(config as never, {
        instance: 'kit',
        endpoint: async (url) => (await this.#world.endpoint?.(url)) ?? url,
        clock: this.#world.clock ?? systemClock,
        log: this.log,
        installation,
        calls: { record: () => undefined },
      }),
    );
    this.#opened.push(session);
    return session;
  }

  /** Closes all sessions. A separate check covers a second close. */
  async close(): Promise<void> {
    const { type } = this.#subject;
    for (const session of this.#opened)
      await Promise.resolve(session)
        .then((each) => type.close?.(each))
        .catch(() => undefined);
  }
}
