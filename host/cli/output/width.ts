const marks = /\p{Mark}|\u200d|\ufe0f/u;
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

/** Returns the number of terminal columns of a text. */
export function width(text: string): number {
  let columns = 0;
  for (const letter of text) columns += marks.test(letter) ? 0 : wide.test(letter) ? 2 : 1;
  return columns;
}
