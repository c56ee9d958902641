import { readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { betweenMarks } from './between-marks.ts';

const root = join(import.meta.dirname, '..');
const guides = ['writing-a-provider', 'writing-a-scheduler', 'writing-a-storage'] as const;
const mark = /^<!-- file (\S+) -->$/gm;

/** The guides for authors of plugins as they are written, and as they would be with the files that they show put in anew. */
export function writingPages(): readonly { readonly file: string; readonly written: string; readonly made: string }[] {
  return guides.map((name) => {
    const file = join(root, `docs/guides/${name}.md`);
    const written = readFileSync(file, 'utf8');
    const shown = [...written.matchAll(mark)].map(([, path = '']) => path);
    const made = shown.reduce((page, path) => betweenMarks(page, `file ${path}`, fenced(path)), written);
    return { file, written, made };
  });
}

const fenced = (path: string): string => `\`\`\`${extname(path).slice(1)}\n${readFileSync(join(root, path), 'utf8')}\`\`\`\n`;

if (import.meta.main) for (const { file, made } of writingPages()) writeFileSync(file, made);
