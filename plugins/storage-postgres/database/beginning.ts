/**
 * Each statement of a transaction sees what was committed before it, so what is read after a lock is up to date. A
 * database may have another default.
 */
export const beginning = 'BEGIN ISOLATION LEVEL READ COMMITTED';
