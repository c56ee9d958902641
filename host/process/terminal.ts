import { printable } from './printable.ts';

/** The output of a command. Results go to `out`, all other messages to `err`. */
export interface Terminal {
  out(text: string): void;
  /** Control characters are taken out, except `anew` at the beginning. */
  err(text: string): void;
  /** Whether each stream is a terminal. */
  readonly outIsScreen: boolean;
  readonly errIsScreen: boolean;
  /** Width of each terminal in columns; absent when the stream is not a terminal or reports no width. */
  readonly outColumns?: number;
  readonly errColumns?: number;
  /** Whether results may use colors: only on a terminal, and never with NO_COLOR. */
  readonly colors: boolean;
}

/** Begins a text that replaces the last line of a terminal. */
export const anew = '\r\u001b[K';

/** The streams of this process. */
export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  // `muster … | head` closes the pipe early, which is no failure. Any other write error loses results and is a
  // failure.
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(0);
    stderr.write(`muster: standard output cannot be written: ${message}\n`, () => process.exit(1));
  });
  // Messages beside the results may be lost.
  stderr.on('error', () => undefined);
  return {
    out: (text) => void stdout.write(text),
    err: (text) =>
      void stderr.write(text.startsWith(anew) ? `${anew}${printable(text.slice(anew.length))}` : printable(text)),
    // `isTTY` is undefined when the stream is not a terminal.
    outIsScreen: Boolean(stdout.isTTY),
    errIsScreen: Boolean(stderr.isTTY),
    // Read at every line: the person may resize the terminal.
    get outColumns() {
      return stdout.columns;
    },
    get errColumns() {
      return stderr.columns;
    },
    colors: wantsColors(stdout, env),
  };
}

/** Whether a stream is a terminal with colors and the user does not disable colors. */
export const wantsColors = (
  { isTTY }: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): boolean => Boolean(isTTY) && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
