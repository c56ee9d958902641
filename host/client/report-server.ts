import type { ServerPlace } from '../data-directory/server-place.ts';
import { simulatedSentence } from '../data-directory/simulated-instances.ts';
import type { Terminal } from '../process/terminal.ts';

/** Prints that a server runs in the background, and whether its machines are simulated. */
export function reportServer({ pid, start }: ServerPlace, terminal: Pick<Terminal, 'err'>): void {
  terminal.err(`A server runs in the background (pid ${pid}); \`muster server stop\` ends it.\n`);
  const simulated = start && simulatedSentence(start);
  if (simulated !== undefined) terminal.err(`${simulated}\n`);
}
