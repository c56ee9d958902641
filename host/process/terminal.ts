/** Where a command writes. Results go out, everything else to err. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Whether a person looks at the results, and at what is said beside them. */
  readonly outIsScreen: boolean;
  readonly errIsScreen: boolean;
  /** How wide each screen is; absent where there is none, or it does not say. */
  readonly outColumns?: number;
  readonly errColumns?: number;
  /** Whether results may have colours: on a screen only, and never with NO_COLOR. */
  readonly colours: boolean;
}

/** The streams of this process. */
export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  // `muster … | head` closes the pipe early, which is no failure; results that get lost are one.
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(0);
    stderr.write(`muster: standard output cannot be written: ${message}\n`, () => process.exit(1));
  });
  // What is said beside the results may get lost.
  stderr.on('error', () => undefined);
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    // Not there at all where the stream is no terminal.
    outIsScreen: Boolean(stdout.isTTY),
    errIsScreen: Boolean(stderr.isTTY),
    // Asked at every line: a person may change it.
    get outColumns() {
      return stdout.columns;
    },
    get errColumns() {
      return stderr.columns;
    },
    colours: wantsColours(stdout, env),
  };
}

/** On a screen that knows them, unless the user says no. */
export const wantsColours = ({ isTTY }: { readonly isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): boolean =>
  Boolean(isTTY) && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
