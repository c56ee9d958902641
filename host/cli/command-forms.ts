import { declarations, type DeclaredOperation } from './operations/declared-operations.ts';

/** One way to call an operation. */
export interface CommandForm {
  /** `requests create` */
  readonly command: string;
  readonly operation: DeclaredOperation;
  readonly summary: string;
  readonly example: string;
  /** Inputs that this form fixes. */
  readonly preset: Readonly<Record<string, unknown>>;
  /** Looks again and again without being told to. */
  readonly watches: boolean;
}

interface Extra {
  readonly command: string;
  readonly operation: string;
  readonly summary: string;
  readonly example: string;
  readonly preset?: Readonly<Record<string, unknown>>;
  readonly watches?: boolean;
}

/** Other names under which people look for an operation. */
const extras: readonly Extra[] = [
  {
    command: 'requests show',
    operation: 'sync_and_get_request',
    summary: 'How a request stands, with its machines.',
    example: 'muster requests show req-01a1b2c3',
    preset: { long: true },
  },
  {
    command: 'requests watch',
    operation: 'sync_and_get_request',
    summary: 'Follow a request until it has ended.',
    example: 'muster requests watch req-01a1b2c3',
    preset: { long: true },
    watches: true,
  },
  {
    command: 'requests return',
    operation: 'create_return_request',
    summary: 'The same as `machines return`.',
    example: 'muster requests return i-09227c8720e055176 --wait',
  },
];

/** Every form of a group, in the order of the operations. */
export function formsOf(group: string): CommandForm[] {
  const { operations } = declarations();
  const forms = operations.flatMap((operation): CommandForm[] => [
    { command: operation.command, operation, summary: operation.summary, example: operation.example, preset: {}, watches: false },
    ...extras
      .filter((extra) => extra.operation === operation.name)
      .map((extra) => ({ ...extra, operation, preset: extra.preset ?? {}, watches: extra.watches ?? false })),
  ]);
  return forms.filter(({ command }) => command.startsWith(`${group} `));
}
