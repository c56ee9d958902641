import { declarations, type DeclaredOperation } from './operations/declared-operations.ts';

/** A command that calls an operation. */
export interface CommandForm {
  /** `requests create` */
  readonly command: string;
  readonly operation: DeclaredOperation;
  readonly summary: string;
  readonly example: string;
  /** Inputs that the command sets. */
  readonly preset: Readonly<Record<string, unknown>>;
  /** The command watches the answer also without --watch. */
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

/** Further commands for the same operations. */
const extras: readonly Extra[] = [
  {
    command: 'requests show',
    operation: 'sync_and_get_request',
    summary: 'Show the status of a request with its machines.',
    example: 'muster requests show req-01a1b2c3',
    preset: { long: true },
  },
  {
    command: 'requests watch',
    operation: 'sync_and_get_request',
    summary: 'Watch a request until it has ended.',
    example: 'muster requests watch req-01a1b2c3',
    preset: { long: true },
    watches: true,
  },
  {
    command: 'requests return',
    operation: 'create_return_request',
    summary: 'An alias of `machines return`.',
    example: 'muster requests return i-09227c8720e055176 --wait',
  },
];

/** Returns the commands of a group, in the order of the operations. */
export function formsOf(group: string): CommandForm[] {
  const { operations } = declarations();
  const forms = operations.flatMap((operation): CommandForm[] => [
    {
      command: operation.command,
      operation,
      summary: operation.summary,
      example: operation.example,
      preset: {},
      watches: false,
    },
    ...extras
      .filter((extra) => extra.operation === operation.name)
      .map((extra) => ({ ...extra, operation, preset: extra.preset ?? {}, watches: extra.watches ?? false })),
  ]);
  return forms.filter(({ command }) => command.startsWith(`${group} `));
}
