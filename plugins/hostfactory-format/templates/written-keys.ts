import type { WrittenKey } from '../../../core/index.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Which types may be had is said in either of two ways, and read into either. */
const types = ['machine_type', 'machine_types'];

/** The keys of one entry of a file as they stand there, each with the fields that `read` makes of it. */
export const writtenKeys = (entry: Fields, read: (part: Fields) => Fields): WrittenKey[] =>
  Object.entries(entry).map(([key, value]) => {
    const fields = Object.keys(read({ [key]: value }));
    return { key, value, fields: fields.some((field) => types.includes(field) || field === 'vmType') ? types : fields };
  });
