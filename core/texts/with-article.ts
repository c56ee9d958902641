/** A noun with its indefinite article: `an integer`, `a text`. */
export const withArticle = (noun: string): string => (/^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`);
