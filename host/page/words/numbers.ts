const grouped = new Intl.NumberFormat('en', { useGrouping: true });

/** A whole number with thin groups: `12 480`. */
export const figure = (value: number): string => grouped.format(value).replaceAll(',', '\u202f');

/** `1 machine`, `12 480 machines`. */
export const count = (value: number, noun: string, nouns = `${noun}s`): string =>
  `${figure(value)} ${value === 1 ? noun : nouns}`;
