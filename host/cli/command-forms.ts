import { declarations, type DeclaredOperation } from './declared.ts';

/** One way to call an operation. */
export interface CommandForm {
  /** `requests create` */
  readonly command: string;
  readonly operation: DeclaredOperation;
  readonly summary: string;
  /** Inputs that this form fixes. */
  readonly preset: Readonly<Record<string, unknown>>;
  /** Looks again and again without being told to. */
  readonly watches: boolean;
}

interface Extra {
  readonly command: string;
  readonly operation: string;
  readonly summary: string;
  readonly preset?: Readonly<Record<string, unknown>>;
  readonly watches?: boolean;
}

/** Other names under which people look for an operation. */
const extras: readonly Extra[] = [
  {
    command: 'requests show',
    operation: 'sync_and_get_request',
    summary: 'How a request stands, with its machines.',
    preset: { long: true },
  },
  {
    command: 'requests watch',
    operation: 'sync_and_get_request',
    summary: 'Follow a request until it has ended.',
    preset: { long: true },
    watches: true,
  },
  { command: 'requests return', operation: 'create_return_request', summary: 'The same as `machines return`.' },
];

/** Every form of a group, in the order of the operations. */
export function formsOf(group: string): CommandForm[] {
  const { operations } = declarations();
  const forms = operations.flatMap((operation): CommandForm[] => [
    { command: operation.command, operation, summary: operation.summary, preset: {}, watches: false },
    ...extras
      .filter((extra) => extra.operation === operation.name)
      .map((extra) => ({ ...extra, operation, preset: extra.preset ?? {}, watches: extra.watches ?? false })),
  ]);
  return forms.filter(({ command }) => command.startsWith(`${group} `));
}
