import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generated, madeFile, root, type Page } from './page.ts';

/** Every package that an install brings, with its licence, from the lock file. */
export const licencesPage: Page = {
  name: 'licences',
  make: async () => [madeFile('docs/reference/licences.md', text)],
};

/** A package that an install without development dependencies brings. */
export interface Production {
  /** Where npm puts it, from the root. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** As its manifest says, an SPDX expression. */
  readonly licence: string;
  /** On some platforms only. */
  readonly optional: boolean;
}

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

/** Everything in the lock file that is no development dependency, by name. */
export function productionPackages(): readonly Production[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version, license = 'none', optional = false }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      return { path, name, version, licence: license, optional };
    })
    .toSorted((a, b) => (a.name === b.name ? compare(a.path, b.path) : compare(a.name, b.name)));
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function text(): string {
  const packages = productionPackages();
  const licences = [...new Set(packages.map(({ licence }) => licence))].toSorted(compare);
  const count = (licence: string) => packages.filter((each) => each.licence === licence).length;
  const rows = [
    ...new Set(
      packages.map(
        ({ name, version, licence, optional }) =>
          `| ${name} | ${version} | ${licence} | ${optional ? 'on some platforms' : 'always'} |`,
      ),
    ),
  ];
  return [
    '# Licences',
    '',
    generated('licences', '`package-lock.json`'),
    '',
    'Every package that an install of muster brings, with the licence that its own manifest names. Development dependencies are not listed. muster itself is under Apache-2.0.',
    '',
    '| Licence | Packages |',
    '|---|---|',
    ...licences.map((licence) => `| ${licence} | ${count(licence)} |`),
    '',
    'These parts contain the work of others too:',
    '',
    '- `bundled/program`, muster bundled with the libraries that every start loads, whose licences are in `LICENSES.txt` beside it;',
    '- `bundled/typebox`, bundled from the package typebox, with its licence (MIT) beside it;',
    '- `bundled/page`, the page for operators, whose script contains preact, @preact/signals and @preact/signals-core, with their licences (MIT) in `LICENSES.txt` beside it;',
    '- `dist/host/rest/docs/redoc.standalone.js` of a built package: Redoc (MIT) with its dependencies, named in `redoc.standalone.js.LICENSE.txt` beside it;',
    '- the packages `node-…`, which are Node itself (MIT) with its dependencies: their `LICENSE` names V8, OpenSSL, ICU, libuv and the others, each with its licence.',
    '',
    '| Package | Version | Licence | Installed |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
