/** Whether a value is a valid identifier in a header: 1 to 255 visible ASCII characters. */
export const isHeaderText = (text: unknown): text is string =>
  typeof text === 'string' && /^[\x21-\x7e]{1,255}$/.test(text);
