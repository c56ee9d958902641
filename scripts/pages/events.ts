import { eventTypes } from '../../core/journal/event-types.ts';
import { betweenMarks } from '../markdown/between-marks.ts';
import { table } from '../markdown/schema-text.ts';
import { madeFile, type Page } from './page.ts';

/** The table of event types in the guide of events. */
export const eventsPage: Page = {
  name: 'events',
  make: async () => [madeFile('docs/guides/events.md', (written) => betweenMarks(written, 'types', typesTable()))],
};

const typesTable = (): string =>
  table(
    ['Type', 'Meaning, and its data'],
    Object.entries(eventTypes).map(([type, meaning]) => [`\`${type}\``, meaning]),
  ).replace(/\n*$/, '\n');
