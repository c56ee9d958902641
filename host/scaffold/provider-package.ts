import { camelCase } from '../../core/index.ts';

/** The files of a package: texts by path. */
export type Files = Readonly<Record<string, string>>;

/** The name of the plugin, its provider type and its package in the example. */
const exampleName = 'my-cloud';

/** The contract of each of the three functions, as comments for the author. */
const contracts: Readonly<Record<string, readonly string[]>> = {
  launch: [
    'Start `order.machine_count` machines, and never more for one `order.token`, also when it is called again after a crash.',
    'Call `call.fence()` right before each changing call to the cloud, and pass `call.signal` to every wait. Fewer machines are no error: give the reason in `shortfall`.',
    'Resolve to `{ handle, machines, settled, shortfall }`; `handle` is JSON from which `observe` and `release` find the order again.',
  ],
  observe: [
    'Report the state of each order: one `{ machines, settled }` for each entry of `watched`, in the same order. `settled`: no more machines will come.',
    'When an order cannot be read, its entry is a ProviderFault; the other entries are unaffected.',
  ],
  release: [
    'Terminate the machines of `aim.go`, keep those of `aim.stay`, and ensure that at most `aim.incoming` more arrive. Already terminated machines are no error.',
    'Call `call.fence()` right before each changing call to the cloud. Resolve to `{ done: true }`, or to `{ done: false }` to be called again.',
  ],
};

/**
 * Returns the package of a new provider, made from the example package: renamed, with the three functions left to
 * write. `version`: the muster version for which it is written.
 */
export function providerPackage(example: Files, name: string, version: string): Files {
  const renamed = Object.entries(example).map(([path, text]) => [path, rename(text, name)] as const);
  const files = Object.fromEntries(renamed) as Record<string, string>;
  for (const verb of Object.keys(contracts)) files['index.ts'] = replaceBody(files['index.ts'] ?? '', verb);
  const manifest = JSON.parse(files['package.json'] ?? '{}') as Record<string, Record<string, string>>;
  (manifest['peerDependencies'] ??= {})['muster'] = `^${version}`;
  files['package.json'] = `${JSON.stringify(manifest, null, 2)}\n`;
  return files;
}

const rename = (text: string, name: string): string =>
  text
    .replaceAll(exampleName, name)
    .replaceAll(camelCase(exampleName.replaceAll('-', '_')), camelCase(name.replaceAll('-', '_')));

/** Replaces the body and the comments of one function by its contract and an error. */
function replaceBody(text: string, verb: string): string {
  const body = new RegExp(`(?:^  // .*\\n)*(^  async ${verb}\\(.*\\) \\{\\n)[^]*?(^  \\},$)`, 'm');
  if (!body.test(text)) throw new Error(`The example has no function '${verb}' to replace.`);
  const contract = (contracts[verb] ?? []).map((line) => `    // ${line}\n`).join('');
  const refusal = `    throw new Error('${verb} is not written yet.');\n`;
  return text.replace(body, (_, head: string, end: string) => `${head}${contract}${refusal}${end}`);
}
