import { camelCase } from '../../core/index.ts';

/** Texts by their path in the package. */
export type Files = Readonly<Record<string, string>>;

/** What stands in the example for the name of the plugin, its provider type and its package. */
const exampleName = 'my-cloud';

/** What each of the three functions must do, for whoever writes it. */
const asked: Readonly<Record<string, readonly string[]>> = {
  launch: [
    'Start `order.machine_count` machines, and never more than that for one `order.token`, however often it comes: after a crash it comes again.',
    'Say `call.fence()` right before what changes the cloud, and give `call.signal` to what waits. Fewer machines are no error: say why in `shortfall`.',
    'Resolve to `{ handle, machines, settled, shortfall }`; `handle` is JSON from which `observe` and `release` find the order again.',
  ],
  observe: [
    'Tell how each order stands: one `{ machines, settled }` for each entry of `watched`, in the same order. `settled`: no more machines will come.',
    'Where one cannot be read, its entry is a ProviderFault; the others are not touched by that.',
  ],
  release: [
    'End the machines of `aim.go`, leave those of `aim.stay`, and see that no more than `aim.to_come` arrive. What is gone already is no error.',
    'Say `call.fence()` right before what changes the cloud. Resolve to `{ done: true }`, or to `{ done: false }` to be called again.',
  ],
};

/**
 * The package of a new provider, made of the example's: under its own name, with the three functions left to be
 * written. `version` is that of the muster that it is written for. /
 */
export function providerPackage(example: Files, name: string, version: string): Files {
  const renamed = Object.entries(example).map(([path, text]) => [path, rename(text, name)] as const);
  const files = Object.fromEntries(renamed) as Record<string, string>;
  for (const verb of Object.keys(asked)) files['index.ts'] = leaveOut(files['index.ts'] ?? '', verb);
  const manifest = JSON.parse(files['package.json'] ?? '{}') as Record<string, Record<string, string>>;
  (manifest['peerDependencies'] ??= {})['muster'] = `^${version}`;
  files['package.json'] = `${JSON.stringify(manifest, null, 2)}\n`;
  return files;
}

const rename = (text: string, name: string): string =>
  text
    .replaceAll(exampleName, name)
    .replaceAll(camelCase(exampleName.replaceAll('-', '_')), camelCase(name.replaceAll('-', '_')));

/** Takes the body of one function away, with what is said of it, and says in its place what it must do. */
function leaveOut(text: string, verb: string): string {
  const body = new RegExp(`(?:^  // .*\\n)*(^  async ${verb}\\(.*\\) \\{\\n)[^]*?(^  \\},$)`, 'm');
  if (!body.test(text)) throw new Error(`The example has no function '${verb}' that could be left out.`);
  const wanted = (asked[verb] ?? []).map((line) => `    // ${line}\n`).join('');
  const refusal = `    throw new Error('${verb} is not written yet.');\n`;
  return text.replace(body, (_, head: string, end: string) => `${head}${wanted}${refusal}${end}`);
}
