import { existsSync, globSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import test from 'ava';
import { linksOf, textOf } from './links-of.ts';

const root = join(import.meta.dirname, '../..');
const pages = [
  ...globSync('docs/**/*.md', { cwd: root, exclude: (path) => path.includes('node_modules') }),
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
]
  .filter((page) => existsSync(join(root, page)))
  .toSorted();

/** The anchors of a page, as the sites that show Markdown make them of its headings. */
function anchorsOf(file: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, heading = ''] of textOf(file).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replace(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-');
    let unique = anchor;
    for (let again = 1; found.has(unique); again += 1) unique = `${anchor}-${again}`;
    found.add(unique);
  }
  for (const [, name = ''] of textOf(file).matchAll(/<a (?:id|name)="([^"]+)"/g)) found.add(name);
  return found;
}

function brokenIn(file: string): string[] {
  return linksOf(file).flatMap((target) => {
    const [path = '', anchor] = target.split('#', 2);
    const to = path === '' ? file : resolve(dirname(file), decodeURIComponent(path));
    if (!existsSync(to)) return [`${target}: there is no such file`];
    if (anchor === undefined || !to.endsWith('.md') || anchorsOf(to).has(anchor)) return [];
    return [`${target}: there is no such heading`];
  });
}

test('every link in the documentation leads to a file, and to a heading where it names one', (t) => {
  t.true(pages.length > 25, pages.join(' '));
  let links = 0;
  for (const page of pages) {
    links += linksOf(join(root, page)).length;
    t.deepEqual(brokenIn(join(root, page)), [], page);
  }
  t.true(links > 150, String(links));
});

test('every path of the repository that a page names is there', (t) => {
  const ours = /`((?:core|host|config|plugins|plugin-testkit|scripts|test|docs)\/[\w./-]+)`/g;
  // A guide to plugins speaks of the files of a plugin, which the examples have.
  const examples = globSync('docs/examples/*', { cwd: root }).map((each) => join(root, each));
  let paths = 0;
  for (const page of pages.filter((each) => !each.startsWith('docs/reference/'))) {
    const named = [...textOf(join(root, page)).matchAll(ours)].map(([, path = '']) => path);
    paths += named.length;
    t.deepEqual(
      named.filter((path) => ![root, ...examples].some((folder) => existsSync(join(folder, path)))),
      [],
      page,
    );
  }
  t.true(paths > 40, String(paths));
});

test('the map of the documentation leads to every guide, reference and example', (t) => {
  const map = join(root, 'docs/README.md');
  const reached = linksOf(map).map((target) => relative(root, resolve(dirname(map), target.replace(/#.*/, ''))));
  const all = pages.filter(
    (page) => /^docs\/(guides|reference)\//.test(page) || /^docs\/examples\/[^/]+\/README\.md$/.test(page),
  );
  const inside = (page: string) =>
    reached.some((to) => to === page || (statSync(join(root, to)).isDirectory() && page.startsWith(`${to}/`)));
  t.deepEqual(
    all.filter((page) => !inside(page)),
    [],
  );
});
