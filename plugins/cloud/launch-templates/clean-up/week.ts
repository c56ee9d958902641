const hourMs = 3_600_000;
const weekMs = 7 * 24 * hourMs;

/**
 * The number of a week. Contents that orders share are known by the week in which an order asked for them too, and
 * asked for in another they are made anew: so it can be told, without remembering anything, that no order that may
 * still be launched names those of a week long gone. /
 */
export const weekOf = (now: number): number => Math.floor(now / weekMs);

/**
 * An order that was prepared in that week is launched within the 24 hours that its token lives, or never; an hour more
 * for clocks that differ.
 */
export const unusedAfterMs = weekMs + 25 * hourMs;

/** Nobody can still be about to launch what was asked for in that week. */
export const isOver = (week: number, now: number): boolean => now > week * weekMs + unusedAfterMs;

/** Soon to be over. Nothing is added to it any more, so that it cannot come back to life while it is being deleted. */
export const isClosing = (week: number, now: number): boolean => now > week * weekMs + unusedAfterMs - 5 * hourMs;
