import type { ServerPlace } from '../data-directory/server-place.ts';
import { simulatedSentence } from '../data-directory/simulated-instances.ts';
import type { Terminal } from '../process/terminal.ts';

/** Says that a server carries on in the background what a command asked for, and whether that is a rehearsal. */
export function tellServer({ pid, start }: ServerPlace, terminal: Pick<Terminal, 'err'>): void {
  terminal.err(`A server runs in the background (pid ${pid}); \`muster server stop\` ends it.\n`);
  const simulated = start && simulatedSentence(start);
  if (simulated !== undefined) terminal.err(`${simulated}\n`);
}
