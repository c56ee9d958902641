/* oxlint-disable no-control-regex -- they are what is taken out. */
/** Characters that move the cursor, change colors or the direction of text. A line break is none of them, nor a tab. */
const controls =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+/g;
const controlsAndBreaks =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+/g;

/**
 * A text for a terminal without control characters, of one or more lines: names and messages come from files and from
 * other systems.
 */
export const printable = (text: string): string => text.replaceAll(controls, ' ');

/** A text for a terminal as one line. */
export const printableLine = (text: string): string => text.replaceAll(controlsAndBreaks, ' ');

/** Whether a text has control characters. */
export const hasControls = (text: string): boolean => text.search(controls) >= 0;

/** A text of JSON, or of YAML that has them between double quotation marks, with control characters escaped. */
export const escaped = (text: string): string =>
  text.replaceAll(controls, (found) =>
    [...found].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  );
