import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { betweenMarks } from '../markdown/between-marks.ts';
import { madeFile, root, type Page } from './page.ts';

const guides = ['writing-a-provider', 'writing-a-scheduler', 'writing-a-storage'] as const;
const mark = /^<!-- file (\S+) -->$/gm;

/** The sources that the guides for authors of plugins show. */
export const writingPage: Page = {
  name: 'writing',
  make: async () => guides.map((name) => madeFile(`docs/guides/${name}.md`, withFiles)),
};

/** The page with the content of every file that it names in a mark. */
function withFiles(written: string): string {
  const shown = [...written.matchAll(mark)].map(([, path = '']) => path);
  return shown.reduce((page, path) => betweenMarks(page, `file ${path}`, fenced(path)), written);
}

const fenced = (path: string): string =>
  `\`\`\`${extname(path).slice(1)}\n${readFileSync(join(root, path), 'utf8')}\`\`\`\n`;
