import type { World } from './world.ts';

/** Tells, line by line, what is stored and what the clouds are asked: for whoever looks for a cause. */
export function tellOf(world: World, write: (line: string) => void): void {
  const { shelf, time, clouds } = world;
  const say = (who: string, what: string, about: unknown) =>
    write(`${String(time.now).padStart(9)} ${who.padEnd(8)} ${what} ${shown(about)}`);
  const { written } = shelf;
  shelf.written = (rows, life) => {
    for (const { kind, row, before } of rows) {
      const key =
        kind === 'machine' ? row.machine_id : kind === 'attempt' ? `${row.request_id}/${row.attempt}` : row.request_id;
      say(life?.name ?? 'interface', `${kind} ${key}`, changed(row, before ?? {}));
    }
    written(rows, life);
  };
  for (const cloud of clouds)
    for (const verb of ['launch', 'observe', 'release', 'find', 'dispose', 'take'] as const) {
      const asked: (...given: never[]) => unknown = cloud[verb].bind(cloud);
      const telling = (...given: never[]): unknown => {
        try {
          const answer = asked(...given);
          say(cloud.name, verb, answer);
          return answer;
        } catch (error) {
          say(cloud.name, `${verb} fails:`, String(error));
          throw error;
        }
      };
      Object.assign(cloud, { [verb]: telling });
    }
}

const changed = (row: object, before: object): object =>
  Object.fromEntries(
    Object.entries(row).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]),
    ),
  );

/** Without what every line would have. */
const dull = new Set(['name', 'private_ip', 'launched_at', 'template', 'order', 'provider_selection', 'prepared']);
const shown = (about: unknown): string =>
  (JSON.stringify(about, (name, value: unknown) => (dull.has(name) ? undefined : value)) ?? '')
    .replaceAll('"', '')
    .slice(0, 400);
