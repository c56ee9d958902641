/** The text, with at most so many characters. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 2)} …` : text;
