import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

const root = join(import.meta.dirname, '../..');

/** The text of a file in docs/deploy. */
export const deployFile = (name: string): string => readFileSync(join(root, 'docs/deploy', name), 'utf8');

/** A guide. */
export const guide = (name: string): string => readFileSync(join(root, 'docs/guides', name), 'utf8');

export interface ComposeService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly read_only?: boolean;
  readonly stop_grace_period?: string;
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[] | Readonly<Record<string, { readonly ipv4_address?: string }>>;
  readonly tmpfs?: readonly string[];
}

/** compose.yaml, with its anchors merged. */
export const compose = () =>
  parse(deployFile('compose/compose.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, ComposeService>>;
    readonly networks: Readonly<Record<string, any>>;
  };

/** The documents of the Kubernetes manifest, by kind. */
export const manifests = (): Readonly<Record<string, any>> =>
  Object.fromEntries(
    parseAllDocuments(deployFile('kubernetes/muster.yaml')).map((document) => {
      const value = document.toJS() as { readonly kind: string };
      return [value.kind, value];
    }),
  );

/** The directives of the systemd unit; the last of equal ones counts, and Environment is a map. */
export function unit(): {
  readonly directives: ReadonlyMap<string, string>;
  readonly environment: NodeJS.Dict<string>;
} {
  const directives = new Map<string, string>();
  const environment: NodeJS.Dict<string> = {};
  for (const line of deployFile('systemd/muster.service').split('\n')) {
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    if (name === 'Environment') Object.assign(environment, Object.fromEntries([value.split('=', 2)]));
    else directives.set(name, value);
  }
  return { directives, environment };
}

/** The instructions of the container file, continued lines joined. */
export function containerInstructions(): readonly (readonly [name: string, text: string])[] {
  const lines = deployFile('container/Containerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n');
  return lines.flatMap((line) => {
    const [, name, text] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return name === undefined || text === undefined ? [] : [[name, text] as const];
  });
}
