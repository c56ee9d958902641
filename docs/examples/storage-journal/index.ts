import { BrokerError, definePlugin, defineStorage, Type } from 'muster';
import { MemoryStore, type JournalEntry } from 'muster/storage-memory';
import { openLines } from './lines.ts';

/**
 * One line of JSON for each commit, and all records in memory: for one broker with some ten thousand requests.
 * `tail -f` shows the commits.
 */
const journalStorage = defineStorage({
  type: 'journal',
  // One process at a time; the loop runs in the thread of the interfaces.
  shared: false,
  options: Type.Object({
    path: Type.String({ default: './data/muster.jsonl', description: 'The file that the lines are added to.' }),
  }),

  async open({ path }, context) {
    const lines = await openLines(path).catch((cause) => {
      throw new BrokerError('UNAVAILABLE', `The journal ${path} cannot be opened: ${cause.message}.`, {}, { cause });
    });
    const store = new MemoryStore(context, {
      // Resolves when the line is on disk: the commit becomes visible and is acknowledged only then.
      write: (entry) =>
        lines.append(JSON.stringify(entry)).catch((cause) => {
          throw new BrokerError('UNAVAILABLE', `Nothing can be written to ${path}: ${cause.message}.`, {}, { cause });
        }),
      close: () => lines.close(),
    });
    try {
      for await (const { text, number } of lines.read()) store.restore(entryOf(text, `${path}:${number}`));
    } catch (error) {
      await lines.close();
      throw error;
    }
    return store;
  },
});

function entryOf(text: string, place: string): JournalEntry {
  try {
    return JSON.parse(text) as JournalEntry;
  } catch (cause) {
    throw new BrokerError(
      'UNAVAILABLE',
      `${place} is damaged. Put a copy of the file back, or cut it off before that line.`,
      {},
      { cause },
    );
  }
}

export default definePlugin({ name: 'storage-journal', contract: 1, storages: [journalStorage] });
