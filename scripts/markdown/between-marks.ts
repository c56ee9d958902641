/** A page with the part between `<!-- name -->` and `<!-- /name -->` replaced. */
export function betweenMarks(page: string, name: string, content: string): string {
  const open = `<!-- ${name} -->\n`;
  const start = page.indexOf(open);
  const end = page.indexOf(`<!-- /${name} -->`);
  if (start < 0 || end < start) throw new Error(`The page lacks the marks of '${name}'.`);
  return `${page.slice(0, start)}${open}\n${content}\n${page.slice(end)}`;
}
