const hourMs = 3_600_000;
const weekMs = 7 * 24 * hourMs;

/**
 * The number of a week. Shared contents are identified also by the week in which an order requested them, and are
 * created again in another week. So no record is needed to decide that no order that may still be launched uses the
 * contents of an old week.
 */
export const weekOf = (now: number): number => Math.floor(now / weekMs);

/**
 * An order of that week is launched within the 24 hours of its token, or never. One hour is added for clock
 * differences.
 */
export const unusedAfterMs = weekMs + 25 * hourMs;

/** Whether no order of that week can still be launched. */
export const isOver = (week: number, now: number): boolean => now > week * weekMs + unusedAfterMs;

/**
 * Whether the week is over soon. No version is added to its contents any more, so that contents are not used again
 * while they are deleted.
 */
export const isClosing = (week: number, now: number): boolean => now > week * weekMs + unusedAfterMs - 5 * hourMs;
