import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const page = join(root, 'docs/reference/licences.md');

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

/** The page of the licences as it is written, and as it would be made anew from the lock file. */
export function licencesPage(): { readonly written: string; readonly made: string } {
  const packages = productionPackages();
  const licences = [...new Set(packages.map(({ licence }) => licence))].toSorted(compare);
  const count = (licence: string) => packages.filter((each) => each.licence === licence).length;
  const rows = [
    ...new Set(
      packages.map(
        ({ name, version, licence, optional }) => `| ${name} | ${version} | ${licence} | ${optional ? 'on some platforms' : 'always'} |`,
      ),
    ),
  ];
  const made = [
    '# Licences',
    '',
    'Made by `node scripts/licences-page.ts` from `package-lock.json`: every package that an install of muster brings, with the licence that its',
    'own manifest names. Development dependencies are not in it. muster itself is under Apache-2.0.',
    '',
    '| Licence | Packages |',
    '|---|---|',
    ...licences.map((licence) => `| ${licence} | ${count(licence)} |`),
    '',
    'What is shipped or installed beside the text of these packages holds the work of others too:',
    '',
    '- `bundled/typebox`, made of the package typebox, with its licence (MIT) beside it;',
    '- `dist/host/rest/docs/redoc.standalone.js` of a built package: Redoc (MIT) with what it is made of, named in `redoc.standalone.js.LICENSE.txt` beside it;',
    '- the packages `node-…`, which are Node itself (MIT) with what it is made of: their `LICENSE` names V8, OpenSSL, ICU, libuv and the others, each with its licence.',
    '',
    '| Package | Version | Licence | Installed |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
  return { written: existsSync(page) ? readFileSync(page, 'utf8') : '', made };
}

if (import.meta.main) writeFileSync(page, licencesPage().made);
