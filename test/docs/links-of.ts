import { readFileSync } from 'node:fs';

const texts = new Map<string, string>();

/** The text of a page without its code blocks. */
export function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(file, 'utf8').replace(/^(`{3,}|~{3,}).*?^\1/gms, '');
  texts.set(file, text);
  return text;
}

/** The targets of the links of a page that lead to files beside it, not to other sites. */
export const linksOf = (file: string): string[] =>
  [
    ...textOf(file)
      .replace(/`[^`\n]*`/g, (text) => text.replace(/\]\(/g, ''))
      .matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g),
  ]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z][a-z0-9+.-]*:/i.test(target));
