/** Where a command writes. Results go out, everything else to err. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Whether a person looks at the results, and at what is said beside them. */
  readonly outIsScreen: boolean;
  readonly errIsScreen: boolean;
  /** Whether results may have colours: on a screen only, and never with NO_COLOR. */
  readonly colours: boolean;
}

/** The streams of this process. */
export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  // `muster … | head` closes the pipe early, which is no failure.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    // Not there at all where the stream is no terminal.
    outIsScreen: Boolean(stdout.isTTY),
    errIsScreen: Boolean(stderr.isTTY),
    colours: wantsColours(stdout, env),
  };
}

/** On a screen that knows them, unless the user says no. */
export const wantsColours = ({ isTTY }: { readonly isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): boolean =>
  Boolean(isTTY) && !env['NO_COLOR'] && env['TERM'] !== 'dumb';

/** What a run of the command line is about: where it writes, and what it ends with. */
export interface Cli {
  readonly terminal: Terminal;
  code: number;
}
